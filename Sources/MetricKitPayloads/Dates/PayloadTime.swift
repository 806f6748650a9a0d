public import CallStacks
import JSONText

/// A point in time of a payload, as the text for a diagnostic.
struct PayloadTime {
    let text: String

    /// A string is kept unchanged. A number is seconds since 2001-01-01, as written by iOS 27, or
    /// seconds or milliseconds since 1970-01-01, depending on its magnitude.
    init?(_ value: JSONValue) {
        if let text = value.string {
            guard !text.isEmpty else { return nil }
            self.text = text
            return
        }
        let number: Double
        switch value.number {
        case .unsigned(let integer): number = Double(integer)
        case .real(let real): number = real
        case .negative, nil: return nil
        }
        let seconds =
            if number < 1.2e9 { number + 978_307_200 } else if number < 1e11 { number } else {
                number / 1_000
            }
        guard seconds >= 0, seconds < Self.secondsLimit else { return nil }
        text = UnixTime(rawValue: Int64(seconds) * 1_000).iso8601(includesMilliseconds: false)
    }

    static let secondsLimit = 253_402_300_800.0
}

extension UnixTime {
    /// The time in ISO 8601, in UTC and to the second, or `nil` before 1970 and after the year
    /// 9999.
    public var text: String? {
        guard rawValue >= 0, seconds < PayloadTime.secondsLimit else { return nil }
        return iso8601(includesMilliseconds: false)
    }
}
