public import CallStacks

/// The result of renewing the leases of a node's lanes.
public struct LaneRenewal: Hashable, Sendable {
    /// The claims that the node still has.
    public var kept: [LaneClaim]
    /// The claims whose lanes other nodes have taken over.
    public var lost: [LaneClaim]
    /// The time of the database.
    public var time: UnixTime
    /// The stored size of all entries of all lanes that some reader has not finished, in bytes.
    /// Entries that are only kept until there is an exporter do not count.
    public var waitingBytes: Int64
    /// The lanes that ``Lanes/adopt(finishing:except:isArchiving:)`` could adopt.
    public var adoptable: [LaneNumber]
    /// The names of the running nodes whose settings differ from this one's.
    public var differingNodes: [String] = []
    /// The reader with the largest backlog in all lanes together, or `nil` if there is none. It is the
    /// worker if no exporter has a larger one.
    public var slowestReader: String?
}
