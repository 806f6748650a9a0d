import CallStacks
import EmbeddedDatabase
import Exporting
import Foundation
import Ingest
import Logging
import Metrics
import ServerConfiguration
import ServiceLifecycle
import SymbolIntake
import SymbolServer
import Symbolication
import Telemetry
import UnixSignals

/// Puts the service together and runs it until it is told to stop.
struct ServeRun {
    let configuration: ServerConfiguration

    func run() async throws {
        AllocatorSettings.apply()
        let metrics = PrometheusMetrics(meanings: MetricMeanings.all)
        MetricsSystem.bootstrap(metrics)
        let logger = self.logger()
        let wait = FullDiskWait(logger: logger)
        let disk = try await wait.run { try dataDisk() }
        try await ServeRun(configuration: configuration.fitted(toDiskOf: disk.byteCount))
            .serve(metrics, wait, logger)
    }

    /// Serves under a configuration that fits the disk.
    private func serve(
        _ metrics: PrometheusMetrics, _ wait: FullDiskWait, _ logger: Logger
    ) async throws {
        logger.info("disk: \(configuration.diskBounds)")
        let database = try await wait.run { try open() }
        let storage = SymbolStorage(
            settings: configuration.intakeSettings(logger: logger), catalogue: database,
            blobs: BlobFolder(path: DataFolders(path: configuration.dataFolder).blobs))
        try await wait.run { try storage.prepare() }
        let symbols = StoredSymbols(storage)
        try await symbols.readImagesOfBuilds()
        let symbolication = symbolication(with: symbols)
        let flow = try await IngestFlow(
            journal: database, archive: database, catalogue: database,
            symbolication: symbolication,
            settings: configuration.ingestSettings, logger: logger, now: UnixTime.now)
        let intake = BundleIntake(storage, symbols: symbols) { images in
            await arrived(images, flow, logger)
        }
        let exporters = try configuration.exporterSettings.enumerated().map {
            try $1.exporter(key: "export[\($0)]")
        }
        let parts = ServerParts(
            ingest: flow, symbolication: symbolication, symbols: symbols, journal: database,
            archive: database, figures: database, catalogue: database, intake: intake,
            removal: SymbolRemoval(storage, symbols),
            deadLetters: DeadLetterResending(archive: database, exporters: exporters),
            folders: storage.folders, metricsText: { metrics.exposition() })
        let services = try await services(
            parts, exporters, database, StorageUpkeep(storage, symbols), logger)
        logger.info("service: starting", metadata: ["data": "\(configuration.dataFolder)"])
        try await group(of: services, logger).run()
        try await database.close()
        logger.info("service: stopped")
    }

    private func logger() -> Logger {
        let output = LogOutput.standardError()
        let log = configuration.log
        LoggingSystem.bootstrap {
            LineLogHandler(
                label: $0, level: log.level, format: log.format, output: output,
                now: UnixTime.now)
        }
        return Logger(label: "symbolist")
    }

    /// The disk of the data folder, which is made if it is not there.
    private func dataDisk() throws -> Disk {
        try FileManager.default.createDirectory(
            atPath: configuration.dataFolder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return Disk(folder: configuration.dataFolder)
    }

    private func open() throws -> EmbeddedDatabase {
        try EmbeddedDatabase(
            folder: configuration.dataFolder, leastFreeBytes: configuration.limits.freeBytes)
    }

    private func symbolication(with symbols: StoredSymbols) -> DiagnosticSymbolication {
        let tokens = Tokens(configuration.access.tokens.map(\.grant))
        return DiagnosticSymbolication(
            reader: configuration.payloadReader, hasBoundTokens: tokens.areBound,
            symbolicator: symbols.symbolicators(rules: configuration.inApp))
    }

    private func arrived(_ images: [ArrivedImage], _ flow: IngestFlow, _ logger: Logger) async {
        do throws(JournalError) {
            let count = try await flow.lateSymbols.symbolsArrived(of: images)
            if count > 0 {
                logger.info("symbols: \(count) diagnostics that waited for them are sent again")
            }
        } catch { logger.error("\(error)") }
    }

    /// In the order in which they start; they stop in the other one, so that what was taken in last
    /// still goes out.
    private func services(
        _ parts: ServerParts, _ exporters: [any Exporter], _ database: EmbeddedDatabase,
        _ upkeep: StorageUpkeep, _ logger: Logger
    ) async throws -> [any Service] {
        let settings = try configuration.serverSettings
        var services: [any Service] = [
            Upkeep(storage: upkeep), QueueGauges(journal: database, now: UnixTime.now),
            DiagnosticRetention(
                journal: database, archive: database,
                settings: configuration.diagnosticRetention, logger: logger, now: UnixTime.now),
        ]
        if let url = configuration.tracingURL {
            services.append(try OwnTraces(url: url, logger: logger))
        }
        services += try await exports(parts, exporters, logger)
        services += [parts.ingest.worker, parts.ingest.lateSymbols]
        if configuration.grpc != nil {
            services.append(
                try GRPCListener(parts: parts, settings: settings, logger: logger))
        }
        services.append(
            try HTTPListener(parts: parts, settings: settings, logger: logger))
        return services
    }

    private func exports(
        _ parts: ServerParts, _ exporters: [any Exporter], _ logger: Logger
    ) async throws -> [any Service] {
        if exporters.isEmpty {
            logger.warning("export: none is set: records are kept and sent nowhere")
        }
        try await parts.journal.keepReaders(Set(exporters.map(\.name)))
        // A reader that is new begins behind the last entry: that has to be settled before any comes.
        for exporter in exporters { _ = try await parts.journal.place(of: exporter.name) }
        return zip(exporters, configuration.exporterSettings).map { exporter, settings in
            ExportLoop(
                exporter: exporter, entries: parts.ingest.worker, journal: parts.journal,
                archive: parts.archive,
                settings: settings.loop, logger: logger, wallTime: UnixTime.now)
        }
    }

    private func group(of services: [any Service], _ logger: Logger) -> ServiceGroup {
        var settings = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        settings.maximumGracefulShutdownDuration = .seconds(30)
        return ServiceGroup(configuration: settings)
    }
}

/// Looks after stored symbols until the service stops.
private struct Upkeep: Service {
    let storage: StorageUpkeep

    func run() async { await cancelWhenGracefulShutdown { await storage.run() } }
}
