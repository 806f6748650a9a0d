/// The position of an entry in its lane.
public struct LanePosition: Hashable, Sendable {
    /// The number of the entry.
    public var number: Int64
    /// The stored size of all entries up to and including that one, in bytes.
    public var total: Int64

    public init(number: Int64, total: Int64) {
        self.number = number
        self.total = total
    }
}
