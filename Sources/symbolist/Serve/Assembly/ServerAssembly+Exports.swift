import Exporting
import HTTPService
import Ingest
import Logging
import ServerConfiguration
import ServiceLifecycle
import SharedDatabase

/// The exporters, and the services that send the results of each lane to them.
extension ServerAssembly {
    /// Returns the services that process the requests of the service's own journal and export the
    /// results, in the order of their start.
    func ownPipeline(_ dependencies: ServerDependencies) async throws -> [any Service] {
        let flow = dependencies.ingest
        let exports = exports(
            from: flow.worker, of: storage.journal, storage.deadLetters, dependencies, exporters)
        let pipeline = exports + [flow.worker, flow.lateSymbols]
        guard let requests, let stream = configuration.stream, let cluster = configuration.cluster
        else { return pipeline }
        return try await pipeline
            + self.stream(stream, lease: cluster.lease, requests, dependencies)
    }

    /// - Parameters:
    ///   - worker: The source of results.
    ///   - journal: The journal that the results are from.
    ///   - deadLetters: The queue for dead letters of that journal. Storing one moves a cursor of
    ///     the journal.
    func exports(
        from worker: any ExportSource, of journal: any Journal, _ deadLetters: any DeadLetterQueue,
        _ dependencies: ServerDependencies, _ exporters: [any Exporter]
    ) -> [any Service] {
        zip(exporters, configuration.exporterSettings).map { exporter, settings in
            ExportLoop(
                exporter: exporter, source: worker, journal: journal,
                deadLetters: deadLetters, settings: settings.loop,
                settingsFingerprint: settings.mark, board: dependencies.status.board,
                logger: logger, wallTime: storage.now)
        }
    }

    /// Returns a function that returns the services of an adopted lane, the worker first.
    func pipeline(_ dependencies: ServerDependencies) -> LaneAdoption.Pipeline {
        { journal async throws(JournalError) in
            var settings = configuration.ingestSettings
            settings.resultBytesLimit /= LaneAdoption.laneLimit
            let flow = try await IngestFlow(
                journal: journal, archive: journal, revisions: journal,
                symbolChanges: dependencies.symbols, symbolication: dependencies.symbolication,
                settings: settings, logger: logger, now: storage.now)
            // The loops of the node's own lane keep the connections of the exporters open.
            let exporters = exporters.map { KeptOpenExporter(exporter: $0) }
            let exports = exports(
                from: flow.worker, of: journal, journal, dependencies, exporters)
            return [CancelledOnShutdown(service: flow.worker)] + exports
        }
    }
}

extension ServerConfiguration {
    /// Connects to the receivers.
    ///
    /// - Parameter member: The node's part of a cluster. It exports only while it has its lane.
    func exporters(of member: ClusterMember?) throws -> [any Exporter] {
        let exporters = try exporterSettings.enumerated().map {
            try $1.exporter(key: "export[\($0)]")
        }
        guard let member else { return exporters }
        return zip(exporters, exporterSettings).map { exporter, settings in
            LeasedExporter(
                exporter: exporter, clock: member.clock, slotCount: settings.loop.inFlightLimit)
        }
    }
}
