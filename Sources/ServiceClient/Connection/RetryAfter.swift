import Foundation

extension Duration {
    /// Parses `Retry-After`, seconds or a date (RFC 9110, 10.2.3); returns `nil` for anything else.
    init?(retryAfter text: String, now: Date) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = UInt32(text) {
            self = .seconds(seconds)
            return
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = format.date(from: text) else { return nil }
        self = .seconds(max(0, date.timeIntervalSince(now)))
    }
}
