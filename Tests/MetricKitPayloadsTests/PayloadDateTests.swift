import MetricKitPayloads
import Testing

@Suite("Dates of payloads")
struct PayloadDateTests {
    @Test(
        "a day that its month does not have is not a date",
        arguments: [
            ("2024-02-29", true), ("2026-02-29", false), ("2026-02-30", false),
            ("2026-04-31", false), ("2026-12-31", true), ("2100-02-29", false),
        ])
    func days(day: String, exists: Bool) {
        #expect((PayloadDate(day + " 08:00:00 +0000") != nil) == exists)
    }
}
