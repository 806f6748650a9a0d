/// A value of the type `timestamptz`, with a resolution of a microsecond.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 2000-01-01 00:00 UTC, as the server counts them.
    public var microsecondsSince2000: Int64

    /// Later than every moment.
    public static let infinity = Self(microsecondsSince2000: .max)
    /// Earlier than every moment.
    public static let negativeInfinity = Self(microsecondsSince2000: .min)

    /// Milliseconds from 1970-01-01 to 2000-01-01.
    private static let epochMilliseconds: Int64 = 946_684_800_000

    public init(microsecondsSince2000: Int64) {
        self.microsecondsSince2000 = microsecondsSince2000
    }

    /// - Parameter milliseconds: Milliseconds since 1970. Values that do not fit become an
    ///   infinity.
    public init(millisecondsSince1970 milliseconds: Int64) {
        let (since2000, isTooEarly) = milliseconds.subtractingReportingOverflow(
            Self.epochMilliseconds)
        let (value, isOutside) = since2000.multipliedReportingOverflow(by: 1000)
        guard isTooEarly || isOutside else {
            microsecondsSince2000 = value
            return
        }
        self = milliseconds < 0 ? .negativeInfinity : .infinity
    }

    /// Milliseconds since 1970, rounded down.
    public var millisecondsSince1970: Int64 {
        let (quotient, remainder) = microsecondsSince2000.quotientAndRemainder(dividingBy: 1000)
        return quotient - (remainder < 0 ? 1 : 0) + Self.epochMilliseconds
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.microsecondsSince2000 < right.microsecondsSince2000
    }
}
