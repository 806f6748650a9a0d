import Ingest
import Problems
import Synchronization

/// The size limit of the entries that wait in the lanes of all nodes, checked against the last
/// renewal of the leases.
public final class ClusterQueueLimit: Sendable {
    private let bytes: Int64
    private let latest = Mutex<(renewal: LaneRenewal, readers: [String])?>(nil)

    public init(bytes: Int64) { self.bytes = bytes }

    /// Records the stored size of all entries of all lanes that some reader has not finished.
    ///
    /// - Parameter readers: The readers of this node: the worker and its exporters.
    public func record(_ renewal: LaneRenewal, readers: [String]) {
        latest.withLock { $0 = (renewal, readers) }
    }

    /// - Throws: `JournalError` if the limit is reached.
    func check() throws(JournalError) {
        guard let (renewal, readers) = latest.withLock(\.self), renewal.waitingBytes >= bytes
        else { return }
        throw JournalError(
            .full,
            Problem(
                "queue",
                detail: """
                    all lanes hold \(renewal.waitingBytes) bytes, cluster.queue_bytes is \(bytes)
                    """,
                suggestion: Self.suggestion(renewal.slowestReader, readers)))
    }

    private static func suggestion(_ slowest: String?, _ readers: [String]) -> String {
        switch slowest {
        case nil, JournalReaders.worker: "send again when the nodes have caught up"
        case FolderImport.reader: "send again when 'symbolist move' has finished"
        case let reader? where readers.contains(reader):
            "send again when exporter '\(reader)' has caught up"
        case let reader?:
            "they wait for '\(reader)', which is not configured: configure an exporter with "
                + "this name, or drop it with 'symbolist exporters drop \(reader) --config FILE'"
        }
    }
}
