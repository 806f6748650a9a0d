/// The number of a lane: a queue to which one node at a time appends.
///
/// An entry's number has the lane's number in the upper 16 bits, and a count without gaps in the
/// others. Numbers in lane 0 are the same as in the journal of an embedded database.
public struct LaneNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int16

    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// The lane of an entry.
    public init(ofEntry number: Int64) { rawValue = Int16(truncatingIfNeeded: number >> 48) }

    /// The number before the lane's first entry.
    public var start: Int64 { Int64(rawValue) << 48 }

    /// The highest possible entry number of the lane.
    var end: Int64 { start | 0xffff_ffff_ffff }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
