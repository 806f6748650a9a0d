public import Foundation

extension Duration {
    /// Reads the header `Retry-After`, a number of seconds or a date (RFC 9110, 10.2.3). Returns
    /// `nil` for other text, and zero for a date in the past.
    public init?(retryAfter text: String, now: Date) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = UInt64(text) {
            self = .seconds(seconds)
        } else if let date = Date(httpDate: text) {
            self = .seconds(max(date.timeIntervalSince(now), 0))
        } else {
            return nil
        }
    }
}
