extension UnixTime {
    /// Returns the time in UTC: `2026-01-31T09:30:00Z`, or with milliseconds
    /// `2026-01-31T09:30:00.125Z` (ISO 8601).
    package func iso8601(includesMilliseconds: Bool) -> String {
        let (days, rest) = rawValue.flooredDivision(by: Self.millisecondsPerDay)
        let date = GregorianDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity("1970-01-01T00:00:00.000Z".utf8.count)
        text.append(date.year, width: 4)
        text.append(date.month, width: 2, after: "-")
        text.append(date.day, width: 2, after: "-")
        text.append(rest / 3_600_000, width: 2, after: "T")
        text.append(rest / 60_000 % 60, width: 2, after: ":")
        text.append(rest / 1_000 % 60, width: 2, after: ":")
        if includesMilliseconds { text.append(rest % 1_000, width: 3, after: ".") }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a number with zeros before its digits.
    fileprivate mutating func append(
        _ number: Int64, width: Int, after separator: Unicode.Scalar? = nil
    ) {
        if let separator { append(UInt8(ascii: separator)) }
        if number < 0 { append(UInt8(ascii: "-")) }
        let digits = String(number.magnitude).utf8
        append(
            contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(width - digits.count, 0)))
        append(contentsOf: digits)
    }
}
