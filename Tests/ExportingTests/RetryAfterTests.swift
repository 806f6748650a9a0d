import Foundation
import TestSupport
import Testing

@testable import Exporting

@Suite("Retry-After", .ownThreads)
struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 1_445_412_480 - 90)

    @Test(
        "only seconds and dates are read",
        arguments: [
            ("0", 0), ("120", 120), (" 5 ", 5), ("Wed, 21 Oct 2015 07:28:00 GMT", 90),
            ("Wed, 21 Oct 2015 07:00:00 GMT", 0), ("", nil), ("-3", nil), ("soon", nil),
            ("2015-10-21T07:28:00Z", nil), ("1e3", nil),
        ] as [(String, Double?)])
    func values(text: String, seconds: Double?) {
        #expect(RetryAfter.seconds(text, now: now) == seconds)
    }
}
