import Ingest
import Logging
import ServiceLifecycle
import SharedDatabase
import SharedStorage

/// Processes, exports and archives the entries that other nodes have left in their lanes, a few
/// lanes at a time.
struct LaneAdoption: Service {
    let keeper: LaneKeeper
    let cluster: Cluster
    /// The names of the node's exporters.
    let exporters: [String]
    let logger: Logger
    let pipeline: Pipeline

    /// Returns the services that process and export the entries of a lane.
    typealias Pipeline = @Sendable (LaneJournal) async throws(JournalError) -> [any Service]

    /// The maximum number of lanes at a time. Finishing a lane is mostly waiting: for exporters, for
    /// the database and for the bucket.
    static let laneLimit = 4

    private static let pause = Duration.seconds(5)
    private static let checkPause = Duration.milliseconds(500)

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            var laneCount = 0
            while !isStopping {
                if laneCount == Self.laneLimit {
                    await group.next()
                    laneCount -= 1
                }
                if let claim = await adopt() {
                    laneCount += 1
                    group.addTask { await finish(claim) }
                } else {
                    await wait(Self.pause)
                }
            }
        }
    }

    private var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Returns a lane that no node has, or `nil` if there is none or the database does not respond.
    private func adopt() async -> LaneClaim? {
        do throws(JournalError) { return try await keeper.adopt() } catch {
            logger.error("cluster: adopting a lane failed: \(error)")
            return nil
        }
    }

    private func finish(_ claim: LaneClaim) async {
        let lane = claim.lane.rawValue
        logger.notice("cluster: lane \(lane) has no node: its entries are exported from here")
        do throws(JournalError) {
            try await runPipeline(of: claim)
            if keeper.has(claim) { try await keeper.release(claim) }
            logger.notice("cluster: lane \(lane) is released")
        } catch {
            logger.error("cluster: finishing lane \(lane) failed: \(error)")
            // The lane is adopted again.
            await wait(Self.pause)
            try? await keeper.release(claim)
        }
    }

    private func runPipeline(of claim: LaneClaim) async throws(JournalError) {
        let journal = LaneJournal(of: claim, in: cluster.database, options: cluster.laneOptions)
        try await journal.inheritUnsent(by: exporters)
        let archiving = cluster.archiving(journal, isAdopted: true, logger: logger)
        try await run(
            try await pipeline(journal) + [CancelledOnShutdown(service: archiving)], on: journal)
    }

    /// Runs services until all readers of this node have finished the lane, the lane is lost or cannot
    /// be read, or the service stops. In the last case the exporters still finish what they are
    /// sending.
    private func run(
        _ services: [any Service], on journal: LaneJournal
    ) async throws(JournalError) {
        await withTaskGroup(of: Void.self) { group in
            for service in services {
                group.addTask {
                    do { try await service.run() } catch let error as JournalError
                        where error.reason == .unreadable
                    {
                        logger.error("cluster: \(error)")
                        keeper.leave(journal.claim)
                    } catch {}
                }
            }
            while !isStopping, keeper.has(journal.claim), await !isFinished(journal) {
                await wait(Self.checkPause)
            }
            if !Task.isShuttingDownGracefully { group.cancelAll() }
        }
    }

    /// Whether all readers have finished the lane, or the exporters have finished all entries
    /// before the first unreadable one.
    private func isFinished(_ journal: LaneJournal) async -> Bool {
        do throws(JournalError) {
            if keeper.hasLeft(journal.claim) {
                let end = try await journal.cursor(of: JournalReaders.worker)
                for exporter in exporters where try await journal.cursor(of: exporter) < end {
                    return false
                }
                return true
            }
            for reader in [JournalReaders.worker] + exporters
            where try await journal.backlog(of: reader).count > 0 {
                return false
            }
            // If objects cannot be stored, the lane is released so that it does not block other
            // lanes, and adopted again later.
            guard cluster.entries.isWritable else { return true }
            return try await journal.isArchived()
        } catch {
            logger.error("cluster: lane \(journal.claim.lane.rawValue): \(error)")
            return false
        }
    }

    private func wait(_ duration: Duration) async {
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }
}

/// A service that is cancelled when the service group shuts down, without finishing its work.
struct CancelledOnShutdown: Service {
    let service: any Service

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await service.run() }
    }
}
