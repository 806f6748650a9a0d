import Foundation

/// The header `Retry-After`: a number of seconds, or an HTTP date (RFC 9110, 10.2.3).
enum RetryAfter {
    /// Returns the seconds to wait, or `nil` if the value is neither.
    static func seconds(_ value: String, now: Date) -> Double? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if let count = UInt64(text) { return Double(count) }
        return date(text).map { max($0.timeIntervalSince(now), 0) }
    }

    private static func date(_ text: String) -> Date? {
        let reader = DateFormatter()
        reader.locale = Locale(identifier: "en_US_POSIX")
        reader.timeZone = TimeZone(secondsFromGMT: 0)
        reader.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return reader.date(from: text)
    }
}
