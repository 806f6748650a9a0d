import Ingest
import Logging
import Metrics
import ServiceLifecycle
import SharedDatabase
import TaskCoordination

/// Begins and removes partitions of entries, and drops what no exporter takes in time, for all nodes.
struct ClusterMaintenance: Service {
    private let partitions: EntryPartitions
    private let database: SharedDatabase
    private let tasks: SharedTasks
    private let lanes: Lanes
    private let readers: [String]
    /// The time for which entries wait for a first exporter.
    private let unsentAge: Duration
    private let logger: Logger
    private let time = Metrics.Timer(label: "symbolist_entry_bucket_seconds")

    private static let pause = Duration.seconds(5)
    /// The lease of the task, which is longer than a removal waits for older transactions.
    private static let taskTime = Duration.seconds(120)
    /// The pause between two warnings about unfinished imports.
    private static let warningPause = Duration.seconds(3_600)

    /// - Parameter exporters: The names of the node's exporters.
    init(_ cluster: Cluster, exporters: [String], logger: Logger) {
        database = cluster.database
        unsentAge = cluster.unsentAge
        partitions = EntryPartitions(of: cluster.database)
        tasks = SharedTasks(of: cluster.database, for: cluster.node)
        lanes = cluster.lanes
        readers = [JournalReaders.worker] + exporters
        self.logger = logger
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var blocked: PartitionRemoval?
            var lastWarning: ContinuousClock.Instant?
            await repeatUntilCancelled(pausing: Self.pause) {
                do throws(JournalError) {
                    if try await tasks.hold(EntryPartitions.task, for: Self.taskTime) {
                        try await forgetReaders()
                        try await maintainPartitions(&blocked)
                        try await dropUnsent()
                        try await warnOfImports(&lastWarning)
                    }
                } catch  where !Task.isCancelled {
                    logger.warning("cluster: partitions of entries: \(error)")
                } catch {}
            }
        }
    }

    /// - Parameter blocked: The blocked removal that was last logged.
    private func maintainPartitions(_ blocked: inout PartitionRemoval?) async throws(JournalError) {
        let start = ContinuousClock.now
        if try await partitions.advance() { record(since: start) }
        while true {
            let start = ContinuousClock.now
            switch try await partitions.removeOldest() {
            case .removed(let number):
                record(since: start)
                logger.info("cluster: partition \(number) of entries removed")
                blocked = nil
            case .kept(let number):
                logger.notice("cluster: partition \(number) of entries is needed again")
                return
            case .blocked(let number, let holders):
                if case .blocked(number, _) = blocked { return }
                blocked = .blocked(number, by: holders)
                logger.warning(
                    """
                    cluster: partition \(number) of entries cannot be removed while older \
                    transactions see it: \(holders.map(\.description).joined(separator: "; "))
                    """)
                return
            case .nothing: return
            }
        }
    }

    private func record(since start: ContinuousClock.Instant) {
        time.recordSeconds(start.duration(to: .now) / .seconds(1))
    }

    private func forgetReaders() async throws(JournalError) {
        for reader in try await lanes.forgetReaders(except: readers) {
            logger.error(
                """
                cluster: lane \(reader.lane.rawValue): no node has had the exporter '\(reader.name)' \
                for a day: its \(reader.entryCount) requests are not exported
                """)
        }
    }

    private func dropUnsent() async throws(JournalError) {
        let count = try await lanes.dropUnsent(after: unsentAge)
        guard count > 0 else { return }
        logger.warning(
            """
            export: \(count) requests in lanes without a node waited for a first exporter longer \
            than retention.diagnostics_age: removed
            """)
    }

    private func warnOfImports(
        _ lastWarning: inout ContinuousClock.Instant?
    ) async throws(JournalError) {
        guard lastWarning.map({ $0.duration(to: .now) >= Self.warningPause }) ?? true else {
            return
        }
        let folders = try await FolderImport.unfinished(in: database)
        lastWarning = .now
        for folder in folders {
            logger.warning(
                """
                cluster: the move of \(folder) started more than a day ago and is unfinished, so its \
                requests stay in the database: run symbolist move again
                """)
        }
    }
}
