import Foundation

extension Date {
    /// The time in UTC as signatures have it: `20130524T000000Z`.
    var signingTime: String {
        formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted))
    }

    /// The day in UTC: `20130524`.
    var signingDay: String { String(signingTime.prefix { $0 != "T" }) }

    /// Parses a time in a document: `2013-05-24T00:00:00.000Z`, with or without a fraction.
    init?(timestamp text: String) {
        let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first else { return nil }
        self = date
    }

    /// Parses the header `Date`: `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, 5.6.7).
    init?(httpDate text: String) {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = format.date(from: text) else { return nil }
        self = date
    }
}
