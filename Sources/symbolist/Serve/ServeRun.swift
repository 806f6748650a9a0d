import CallStacks
import EmbeddedDatabase
import ErrorDescriptions
import Exporting
import Foundation
import Glibc
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
    private var configuration: ServerConfiguration
    /// Reads the configuration again from the same sources.
    let read: @Sendable () throws(ConfigurationError) -> LoadedConfiguration
    private let threshold: LogThreshold
    private let tokens: Tokens

    init(
        _ configuration: ServerConfiguration,
        read: @escaping @Sendable () throws(ConfigurationError) -> LoadedConfiguration
    ) {
        self.configuration = configuration
        self.read = read
        threshold = LogThreshold(configuration.log.level)
        tokens = configuration.tokens
    }

    func run() async throws {
        AllocatorSettings.apply()
        // It would end the process until the service listens for it.
        signal(SIGHUP, SIG_IGN)
        let metrics = PrometheusMetrics(meanings: MetricMeanings.all)
        MetricsSystem.bootstrap(metrics)
        let logger = self.logger()
        let wait = FullDiskWait(logger: logger)
        let disk = try await wait.run { try dataDisk() }
        var run = self
        run.configuration = configuration.fitted(toDiskOf: disk.byteCount)
        try await run.serve(metrics, wait, logger)
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
        let exporters = try configuration.exporterSettings.enumerated().map {
            try $1.exporter(key: "export[\($0)]")
        }
        var ingestSettings = configuration.ingestSettings
        // Before anything comes: a reader that is new begins behind the last entry.
        ingestSettings.orphans = try await ReaderChecks(
            configuration: configuration, journal: database, logger: logger
        ).run()
        let flow = try await IngestFlow(
            journal: database, archive: database, catalogue: database,
            symbolication: symbolication, settings: ingestSettings, logger: logger,
            now: UnixTime.now)
        let intake = BundleIntake(storage, symbols: symbols) { images in
            await arrived(images, flow, logger)
        }
        let parts = ServerParts(
            ingest: flow, symbolication: symbolication, symbols: symbols, journal: database,
            archive: database, figures: database, catalogue: database, intake: intake,
            removal: SymbolRemoval(storage, symbols),
            deadLetters: DeadLetterResending(archive: database, exporters: exporters),
            folders: storage.folders, metricsText: { metrics.exposition() })
        let services = try await services(
            parts, exporters, database, StorageUpkeep(storage, symbols), logger)
        announce(logger)
        try await group(of: services, logger).run()
        try await database.close()
        logger.info("service: stopped")
    }

    /// Says where data is kept and where records go.
    private func announce(_ logger: Logger) {
        let folder = URL(filePath: configuration.dataFolder).standardizedFileURL.path
        logger.info("service: starting", metadata: ["data": "\(folder)"])
        for export in configuration.exports.map(ExportSummary.init) {
            logger.info(
                "export: \(export.name)",
                metadata: ["type": "\(export.type)", "target": "\(export.target)"])
        }
    }

    private func logger() -> Logger {
        let output = LogOutput.standardError()
        let (format, threshold) = (configuration.log.format, threshold)
        LoggingSystem.bootstrap {
            LineLogHandler(
                label: $0, threshold: threshold, format: format, output: output,
                now: UnixTime.now)
        }
        return Logger(label: "symbolist")
    }

    /// The disk of the data folder, which is made if it is not there.
    private func dataDisk() throws -> Disk {
        do {
            try FileManager.default.createDirectory(
                atPath: configuration.dataFolder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            // The start waits for space.
            throw error
        } catch {
            throw ServeError(
                """
                data: '\(configuration.dataFolder)' cannot be made (\(ErrorDescription(error))): \
                give a folder that may be written to
                """)
        }
        return Disk(folder: configuration.dataFolder)
    }

    private func open() throws -> EmbeddedDatabase {
        try EmbeddedDatabase(
            folder: configuration.dataFolder, leastFreeBytes: configuration.limits.freeBytes)
    }

    private func symbolication(with symbols: StoredSymbols) -> DiagnosticSymbolication {
        DiagnosticSymbolication(
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
        let settings = try serverSettings(logger)
        let room = BodyRoom(settings)
        var services: [any Service] = [
            Reloading(
                tokens: tokens, certificate: settings.certificate, threshold: threshold,
                logger: logger, read: read),
            Upkeep(storage: upkeep), QueueGauges(journal: database, now: UnixTime.now),
            DeliveryGauges(
                figures: database, exporters: exporters.map(\.name), now: UnixTime.now),
            StorageGauges(
                folder: configuration.dataFolder, readiness: parts.readiness,
                queueLimit: configuration.limits.queueBytes),
            DeadLetterGauges(
                archive: database, exporters: exporters.map(\.name), logger: logger),
            DiagnosticRetention(
                journal: database, archive: database,
                settings: configuration.diagnosticRetention, logger: logger, now: UnixTime.now),
        ]
        if let url = configuration.tracingURL {
            services.append(try OwnTraces(url: url, logger: logger))
        }
        services += exports(parts, exporters, logger)
        services += [parts.ingest.worker, parts.ingest.lateSymbols]
        if configuration.grpc != nil {
            services.append(
                try GRPCListener(parts: parts, settings: settings, room: room, logger: logger))
        }
        services.append(
            try HTTPListener(parts: parts, settings: settings, room: room, logger: logger))
        return services
    }

    private func serverSettings(_ logger: Logger) throws -> ServerSettings {
        var settings = try configuration.serverSettings(tokens: tokens)
        for warning in settings.certificate?.warnings ?? [] { logger.warning("\(warning)") }
        let descriptors = DescriptorLimit.raised()
        if settings.connectionLimit > descriptors.connectionCount {
            logger.warning(
                """
                limits.connections: \(settings.connectionLimit) do not fit into \
                \(descriptors.count) file descriptors: serving \(descriptors.connectionCount): \
                raise the limit of the system (ulimit -n)
                """)
            settings.connectionLimit = descriptors.connectionCount
        }
        return settings
    }

    private func exports(
        _ parts: ServerParts, _ exporters: [any Exporter], _ logger: Logger
    ) -> [any Service] {
        zip(exporters, configuration.exporterSettings).map { exporter, settings in
            ExportLoop(
                exporter: exporter, entries: parts.ingest.worker, journal: parts.journal,
                archive: parts.archive, settings: settings.loop, settingsMark: settings.mark,
                logger: logger, wallTime: UnixTime.now)
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

/// Why the service does not start.
private struct ServeError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Looks after stored symbols until the service stops.
private struct Upkeep: Service {
    let storage: StorageUpkeep

    func run() async { await cancelWhenGracefulShutdown { await storage.run() } }
}
