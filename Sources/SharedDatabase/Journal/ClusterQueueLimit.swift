import Ingest
import Problems
import Synchronization

/// The limit of what waits in the lanes of all nodes, as of the last renewal of the leases.
public final class ClusterQueueLimit: Sendable {
    private let bytes: Int64
    private let waitingBytes = Mutex<Int64>(0)

    public init(bytes: Int64) { self.bytes = bytes }

    /// Records the stored size of all entries of all lanes that some reader has not finished.
    public func record(_ renewal: LaneRenewal) {
        waitingBytes.withLock { $0 = renewal.waitingBytes }
    }

    /// - Throws: `JournalError` if the limit is reached.
    func check() throws(JournalError) {
        let waiting = waitingBytes.withLock(\.self)
        guard waiting >= bytes else { return }
        throw JournalError(
            .full,
            Problem(
                "queue", detail: "all lanes hold \(waiting) bytes, cluster.queue_bytes is \(bytes)",
                suggestion: "send again when the exporters have caught up"))
    }
}
