extension UnixTime {
    /// Returns the time in UTC: `2026-01-31T09:30:00Z`, or with milliseconds
    /// `2026-01-31T09:30:00.125Z` (ISO 8601).
    package func iso8601(includesMilliseconds: Bool) -> String {
        let (days, rest) = rawValue.flooredDivision(by: Self.millisecondsPerDay)
        let date = GregorianDate(daysSince1970: days)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { $0.padded(2) }
        return "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))"
            + "T\(time.joined(separator: ":"))"
            + (includesMilliseconds ? ".\((rest % 1_000).padded(3))Z" : "Z")
    }
}

extension Int64 {
    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(width - digits.count, 0)) + digits
    }
}
