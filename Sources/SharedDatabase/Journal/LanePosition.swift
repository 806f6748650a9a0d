/// The position of an entry in its lane.
struct LanePosition: Sendable {
    /// The number of the entry.
    var number: Int64
    /// The stored size of all entries up to and including that one, in bytes.
    var total: Int64
}
