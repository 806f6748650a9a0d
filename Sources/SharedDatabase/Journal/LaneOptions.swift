/// What the node of a lane has besides the lane.
public struct LaneOptions: Sendable {
    /// The archived entries, or `nil` if there is no bucket.
    public var archive: (any EntryArchive)?
    /// The limit of what waits in all lanes, or `nil` for none.
    public var queueLimit: ClusterQueueLimit?
    /// How long a payload that is posted again is recognised.
    public var payloadKeyAge = Duration.seconds(2 * 86_400)

    public init() {}
}
