/// A node's right to append to a lane, and to move the cursors of its readers.
///
/// Each claim has a larger epoch than all earlier ones of the lane. Statements of an earlier epoch
/// have no effect, so a node that was paused while another one claimed its lane does no harm.
public struct LaneClaim: Hashable, Sendable {
    public let lane: LaneNumber
    public let node: ClusterNode
    public let epoch: Int64
    /// The number of the lane's last entry when it was claimed.
    public let tail: Int64
    /// The stored size of all entries up to that one, in bytes.
    public let total: Int64
}
