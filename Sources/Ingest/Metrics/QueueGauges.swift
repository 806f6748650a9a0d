public import CallStacks
import Metrics
public import ServiceLifecycle
import TaskCoordination

/// Records the size and the age of the queue for exporters.
public struct QueueGauges: Service {
    private let journal: any Journal
    private let now: @Sendable () -> UnixTime
    private let bytes = Gauge(label: "symbolist_queue_bytes")
    private let entries = Gauge(label: "symbolist_queue_entries")
    private let age = Gauge(label: "symbolist_queue_age_seconds")

    private static let interval = Duration.seconds(2)

    public init(journal: any Journal, now: @escaping @Sendable () -> UnixTime) {
        self.journal = journal
        self.now = now
    }

    public func run() async {
        await cancelWhenGracefulShutdown {
            await repeatUntilCancelled(pausing: Self.interval) {
                // After a failure, retrying at the next interval is soon enough.
                if let backlog = try? await journal.backlog() { record(backlog) }
            }
        }
    }

    private func record(_ backlog: Backlog) {
        bytes.record(backlog.bytes)
        entries.record(backlog.count)
        let milliseconds = backlog.oldest.map { now().rawValue - $0.rawValue } ?? 0
        age.record(Double(max(milliseconds, 0)) / 1_000)
    }
}
