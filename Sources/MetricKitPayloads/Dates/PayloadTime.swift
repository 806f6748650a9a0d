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
        text = Self.text(unixSeconds: Int(seconds))
    }

    static let secondsLimit = 253_402_300_800.0

    /// Returns ISO 8601 in UTC. Years start in March, so that the leap day is the last of its year
    /// and 400 years have 146,097 days.
    static func text(unixSeconds: Int) -> String {
        let days = unixSeconds / 86_400 + 719_468
        let secondOfDay = unixSeconds % 86_400
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(padded(year, to: 4))-\(padded(month))-\(padded(day))"
        let hour = secondOfDay / 3_600
        return
            "\(date)T\(padded(hour)):\(padded(secondOfDay / 60 % 60)):\(padded(secondOfDay % 60))Z"
    }

    private static func padded(_ number: Int, to width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension UnixTime {
    /// The time in ISO 8601, in UTC and to the second, or `nil` before 1970 and after the year
    /// 9999.
    public var text: String? {
        let seconds = rawValue / 1_000
        guard seconds >= 0, Double(seconds) < PayloadTime.secondsLimit else { return nil }
        return PayloadTime.text(unixSeconds: Int(seconds))
    }
}
