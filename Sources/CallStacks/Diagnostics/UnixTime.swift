/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
public struct UnixTime: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    public var nanoseconds: UInt64 { UInt64(clamping: rawValue) &* 1_000_000 }

    public var seconds: Double { Double(rawValue) / 1_000 }

    /// The number of whole days since 1970-01-01, UTC.
    public var day: Int64 { rawValue / Self.millisecondsPerDay }

    public static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns the time that is the given number of seconds later, or earlier if the number is
    /// negative.
    public func advanced(seconds: Int64) -> Self { Self(rawValue: rawValue &+ seconds &* 1_000) }
}
