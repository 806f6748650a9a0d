public import CallStacks

/// The result of renewing the leases of a node's lanes.
public struct LaneRenewal: Hashable, Sendable {
    /// The claims that the node still has.
    public var kept: [LaneClaim]
    /// The claims that others have taken over.
    public var lost: [LaneClaim]
    /// The time of the database.
    public var time: UnixTime
    /// The stored size of all entries of all lanes that some reader has not finished, in bytes.
    public var waitingBytes: Int64
    /// The lanes that ``Lanes/adopt(finishing:)`` could adopt.
    public var adoptable: [LaneNumber]
}
