import Testing

@testable import Pages

@Suite("Shares of a measured amount")
struct MeasuredAmountTests {
    @Test(
        "an amount with a known unit has shares in readable units",
        arguments: [
            ("3 sec", 0.62, "Time", "1.9 s"), ("3 sec", 0.0206, "Time", "62 ms"),
            ("1500 ms", 1, "Time", "1.5 s"), ("48 sec", 1, "Time", "48.0 s"),
            ("60 min", 1, "Time", "3,600 s"), ("2 GB", 0.5, "Size", "1.0 GB"),
            ("1.5 MB", 0.001, "Size", "1.5 kB"),
        ])
    func shares(text: String, share: Double, name: String, shown: String) throws {
        let amount = try #require(MeasuredAmount(text))
        #expect(amount.name == name)
        #expect(amount.text(ofShare: share) == shown)
    }

    @Test(
        "an ambiguous number or an unknown unit is not an amount",
        arguments: ["1,024 kB", "3 Sek.", "sec", "", "-3 sec", "nan sec", "1e400 sec", "3 4 sec"])
    func unknown(text: String) {
        #expect(MeasuredAmount(text) == nil)
    }
}
