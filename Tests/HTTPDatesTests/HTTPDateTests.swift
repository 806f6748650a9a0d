import Foundation
import HTTPDates
import TestSupport
import Testing

@Suite("Dates of HTTP headers", .ownThreads)
struct HTTPDateTests {
    private let date = Date(timeIntervalSince1970: 1_445_412_480)

    @Test("a date is written and read in GMT")
    func dates() {
        #expect(date.httpDate == "Wed, 21 Oct 2015 07:28:00 GMT")
        #expect(Date(httpDate: date.httpDate) == date)
        #expect(Date(httpDate: "2015-10-21T07:28:00Z") == nil)
    }

    @Test(
        "Retry-After is seconds or a date",
        arguments: [
            ("0", .zero), ("120", .seconds(120)), (" 5 ", .seconds(5)),
            ("18446744073709551615", .seconds(UInt64.max)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", .seconds(90)),
            ("Wed, 21 Oct 2015 07:00:00 GMT", .zero), ("", nil), ("-3", nil), ("soon", nil),
            ("2015-10-21T07:28:00Z", nil), ("1e3", nil),
        ] as [(String, Duration?)])
    func retryAfter(text: String, wait: Duration?) {
        #expect(Duration(retryAfter: text, now: date.addingTimeInterval(-90)) == wait)
    }
}
