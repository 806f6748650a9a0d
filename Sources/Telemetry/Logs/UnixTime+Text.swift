import CallStacks

extension UnixTime {
    /// The time in ISO 8601: `2026-01-31T09:30:00.125Z`.
    var text: String {
        let (days, rest) = rawValue.flooredDivision(by: Self.millisecondsPerDay)
        let date = Self.date(days: days)
        let parts = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { $0.padded(2) }
        return "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))"
            + "T\(parts.joined(separator: ":")).\((rest % 1_000).padded(3))Z"
    }

    /// Returns the Gregorian date of a number of days after 1970-01-01.
    ///
    /// Years are counted from March, so that a leap day is the last day of its year.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // The first 400-year cycle starts on 0000-03-01, 719,468 days before 1970.
        let (cycle, dayOfCycle) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        // From March on, any five consecutive months have 153 days.
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        return (
            yearOfCycle + cycle * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            day
        )
    }
}

extension Int64 {
    /// Returns the quotient and a remainder that is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(width - digits.count, 0)) + digits
    }
}
