import Logging
import ServerConfiguration
import ServiceLifecycle

/// Runs the service as a node of a cluster. If another node has claimed this one's lane, because
/// this one was paused or could not reach the database, it continues with another lane.
struct ClusterRun {
    let configuration: ServerConfiguration
    let process: ServerProcess

    private var logger: Logger { process.logger }

    func run(_ settings: ClusterConfiguration) async throws {
        let folder = try await process.diskSpace.run { try NodeFolder(configuration.dataFolder) }
        defer { withExtendedLifetime(folder) {} }
        let cluster = try await Cluster(settings, logger: logger)
        warnOfOwnKey()
        let lanes = LaneSuccession(logger: logger) {
            try await ClusterMember(
                of: cluster, exporters: configuration.exports.map(\.name), logger: logger)
        } serve: { member in
            try await serve(as: member)
        }
        // Signals are handled here, so that none is missed between two lanes.
        try await ServiceGroup(
            services: [lanes, BucketCheck(cluster: cluster, logger: logger)],
            gracefulShutdownSignals: ServerAssembly.stopSignals,
            logger: logger.withoutDetails
        ).run()
        await cluster.close()
    }

    /// Serves with a lane until the node loses it or the service stops.
    private func serve(as member: ClusterMember) async throws {
        do {
            try await member.keeper.renew()
            let storage = StoragePorts(member.journal, of: member.cluster)
            try await ServerAssembly(configuration, on: storage, as: member, process).run()
        } catch is LostLane {
            // The keeper has logged it.
        } catch {
            try? await member.leave()
            throw error
        }
        try await member.leave()
    }

    private func warnOfOwnKey() {
        guard let pages = configuration.pages, pages.keyFile == nil else { return }
        logger.warning(
            """
            pages.key_file: not set: a person who signs in on one node is not signed in on the \
            others: use the same file on all nodes
            """)
    }
}
