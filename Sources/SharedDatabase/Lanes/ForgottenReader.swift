/// An exporter that is no longer configured on any node, and whose cursor in a lane was removed.
public struct ForgottenReader: Hashable, Sendable {
    public let lane: LaneNumber
    public let name: String
    /// The number of entries that it had not finished.
    public let entryCount: Int64
}
