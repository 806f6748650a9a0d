public import Foundation

extension Date {
    /// Reads a date of a header: `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, 5.6.7).
    public init?(httpDate text: String) {
        guard let date = DateFormatter.httpDates.date(from: text) else { return nil }
        self = date
    }

    /// The date in a header: `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, 5.6.7).
    public var httpDate: String { DateFormatter.httpDates.string(from: self) }
}

extension DateFormatter {
    fileprivate static var httpDates: DateFormatter {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format
    }
}
