import SharedDatabase
import Synchronization

/// The lanes with entries that this version cannot read. They are left to nodes of a later version
/// until this node restarts.
final class UnreadableLanes: Sendable {
    private let lanes = Mutex<Set<LaneNumber>>([])

    var all: Set<LaneNumber> { lanes.withLock(\.self) }

    func insert(_ lane: LaneNumber) { lanes.withLock { _ = $0.insert(lane) } }
}
