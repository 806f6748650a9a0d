/// The archive and the limits that a node uses with its lane.
public struct LaneOptions: Sendable {
    /// The archived entries, or `nil` if there is no bucket.
    public var archive: (any EntryArchive)?
    /// The size limit of all lanes together, or `nil` for none.
    public var queueLimit: ClusterQueueLimit?
    /// The time for which duplicates of a posted payload are recognised.
    public var payloadKeyAge = Duration.seconds(2 * 86_400)

    public init() {}
}
