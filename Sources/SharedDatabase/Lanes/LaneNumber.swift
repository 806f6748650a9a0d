/// The number of a lane: a queue to which one node at a time appends.
///
/// An entry's number consists of its lane's in the upper 16 bits, and of a count without gaps. Lane
/// 0 has the same numbers as the journal of an embedded database.
public struct LaneNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int16

    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// The lane of an entry.
    public init(ofEntry number: Int64) { rawValue = Int16(truncatingIfNeeded: number >> 48) }

    /// The number before the lane's first entry.
    public var start: Int64 { Int64(rawValue) << 48 }

    /// The largest number that an entry of the lane can have.
    var end: Int64 { start | 0xffff_ffff_ffff }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
