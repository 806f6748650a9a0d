import CallStacks
import SymbolIntake
import Testing

@testable import symbolist

@Suite("Warnings of renewals")
struct RenewalWarningTests {
    @Test(
        "clocks are compared as far as the duration of the renewal permits",
        arguments: [(50, -50), (100, 0), (150, 0), (200, 0), (260, 60)])
    func difference(database: Int64, expected: Int64) {
        let found = RenewalWarnings.difference(
            of: UnixTime(rawValue: database), from: UnixTime(rawValue: 100),
            and: UnixTime(rawValue: 200))
        #expect(found == expected)
    }
}
