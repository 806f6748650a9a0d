/// A day of the Gregorian calendar.
///
/// Years are counted from March here, so that a leap day is the last day of its year, and any 400
/// years have 146,097 days.
package struct GregorianDate: Hashable, Sendable {
    package let year: Int64
    /// The month, from 1.
    package let month: Int64
    /// The day of the month, from 1.
    package let day: Int64

    private static let daysPerCycle: Int64 = 146_097
    /// The days from 0000-03-01, when the first cycle of 400 years starts, to 1970-01-01.
    private static let daysBefore1970: Int64 = 719_468

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter daysSince1970: The number of days since 1970-01-01, negative before.
    package init(daysSince1970 days: Int64) {
        let (cycle, dayOfCycle) = (days + Self.daysBefore1970)
            .flooredDivision(by: Self.daysPerCycle)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        // From March on, any five consecutive months have 153 days.
        let month = (5 * dayOfYear + 2) / 153
        self.init(
            year: cycle * 400 + yearOfCycle + (month >= 10 ? 1 : 0),
            month: month >= 10 ? month - 9 : month + 3, day: dayOfYear - (153 * month + 2) / 5 + 1)
    }

    /// The number of days since 1970-01-01, negative before.
    package var daysSince1970: Int64 {
        let (cycle, yearOfCycle) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfCycle = 365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * Self.daysPerCycle + dayOfCycle - Self.daysBefore1970
    }
}

extension Int64 {
    /// Returns the quotient and a remainder that is never negative.
    func flooredDivision(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
