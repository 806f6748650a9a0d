import Ingest
import Logging
import Problems
import ServiceLifecycle
import SharedDatabase
import SharedStorage
import SymbolIntake

/// This node's part of a cluster while it has a lane.
struct ClusterMember: Sendable {
    let cluster: Cluster
    let journal: LaneJournal
    let keeper: LaneKeeper
    private let exporters: [String]
    private let logger: Logger

    var clock: ClusterClock { cluster.lanes.clock }

    /// Claims a lane.
    ///
    /// - Parameter exporters: The names of the node's exporters.
    init(of cluster: Cluster, exporters: [String], logger: Logger) async throws(JournalError) {
        let readers = [JournalReaders.worker] + exporters
        let claim = try await cluster.lanes.claim(finishing: readers)
        self.cluster = cluster
        self.exporters = exporters
        self.logger = logger
        journal = LaneJournal(
            of: claim, in: cluster.database, clock: cluster.lanes.clock,
            options: cluster.laneOptions)
        keeper = LaneKeeper(cluster, journal: journal, readers: readers, logger: logger)
        logger.info(
            "cluster: node '\(cluster.node.name)' has lane \(claim.lane.rawValue)",
            metadata: ["database": "\(cluster.databaseName)"])
    }

    /// Returns the services of a node: the given ones, and those for its part of the cluster. The
    /// leases are renewed until everything else has stopped.
    func services(
        around services: [any Service], symbols: StoredSymbolIndexes,
        pipeline: @escaping LaneAdoption.Pipeline
    ) -> [any Service] {
        let adoption = LaneAdoption(
            keeper: keeper, cluster: cluster, exporters: exporters, logger: logger,
            pipeline: pipeline)
        return [keeper, Sweeping(sweep: cluster.sweep)]
            + bound([cluster.archiving(journal, logger: logger)]) + [
                ClusterMaintenance(cluster, exporters: exporters, logger: logger),
                ClusterGauges(cluster, keeper: keeper),
            ] + services + [SymbolChangeFollower(symbols: symbols, logger: logger)]
            + bound([adoption])
    }

    /// Returns services that are cancelled when the node loses its lane.
    func bound(_ services: [any Service]) -> [any Service] {
        services.map { LaneBound(service: $0, keeper: keeper) }
    }

    /// Releases the lane, so that other nodes need not wait until its lease expires.
    ///
    /// - Throws: `JournalError`; at once if the database is known not to respond.
    func leave() async throws(JournalError) {
        if journal.isLost { return try await cluster.lanes.leave() }
        guard !keeper.isSilent else {
            throw JournalError(
                .other,
                Problem(
                    "lane \(journal.claim.lane.rawValue)",
                    detail: "not released, because the database does not respond",
                    suggestion: "another node or the next start continues it when its lease expires"
                ))
        }
        try await cluster.lanes.release(journal.claim)
        try await cluster.lanes.leave()
    }
}

/// Removes unused objects from the bucket until the service stops.
private struct Sweeping: Service {
    let sweep: ObjectSweep

    func run() async { await cancelWhenGracefulShutdown { await sweep.run() } }
}
