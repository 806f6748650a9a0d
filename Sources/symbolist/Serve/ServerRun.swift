import CallStacks
import EmbeddedDatabase
import ErrorDescriptions
import Exporting
import Foundation
import Glibc
import Ingest
import Logging
import Metrics
import Problems
import ServerConfiguration
import ServiceLifecycle
import SymbolIntake
import HTTPService
import Symbolication
import Telemetry
import UnixSignals

/// Assembles the service and runs it until it is stopped.
struct ServerRun {
    private var configuration: ServerConfiguration
    /// Loads the configuration again from the same sources.
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
        // By default the signal ends the process. Ignore it until the service handles it.
        signal(SIGHUP, SIG_IGN)
        let metrics = PrometheusMetrics(descriptions: MetricDescriptions.all)
        MetricsSystem.bootstrap(metrics)
        let logger = self.logger()
        let wait = DiskSpaceWait(logger: logger)
        let disk = try await wait.run { try dataDisk() }
        var run = self
        run.configuration = configuration.fitted(toDiskOf: disk.byteCount)
        try await run.serve(metrics, wait, logger)
    }

    /// Serves with a configuration that fits the disk.
    private func serve(
        _ metrics: PrometheusMetrics, _ wait: DiskSpaceWait, _ logger: Logger
    ) async throws {
        logger.info("disk: \(configuration.diskBounds)")
        let database = try await wait.run { try open() }
        let storage = SymbolStorage(
            settings: configuration.intakeSettings(logger: logger), catalogue: database,
            blobs: BlobFolder(path: DataFolders(path: configuration.dataFolder).blobs))
        try await wait.run { try storage.prepare() }
        let symbols = StoredSymbolIndexes(storage)
        try await wait.run { try await symbols.prepare() }
        let symbolication = symbolication(with: symbols)
        let exporters = try configuration.exporterSettings.enumerated().map {
            try $1.exporter(key: "export[\($0)]")
        }
        var ingestSettings = configuration.ingestSettings
        // Runs before anything arrives, because a new reader starts after the last entry.
        let checks = JournalReaderSetup(
            configuration: configuration, journal: database, logger: logger)
        ingestSettings.orphans = try await wait.run { try await checks.run() }
        let flow = try await IngestFlow(
            journal: database, archive: database, symbolChanges: symbols,
            symbolication: symbolication, settings: ingestSettings, logger: logger,
            now: UnixTime.now)
        let intake = UploadIntake(storage, symbols: symbols) { images in
            await arrived(images, flow, logger)
        }
        let dependencies = ServerDependencies(
            ingest: flow, symbolication: symbolication, symbols: symbols, journal: database,
            archive: database, figures: database, groups: database,
            flames: MergedFlames(archive: database),
            status: OperationStatusSource(
                journal: database, groups: database, catalogue: database,
                files: storage.folders,
                database: "\(configuration.dataFolder)/\(EmbeddedDatabase.fileName)",
                limits: OperationStatus.Limits(
                    queueBytes: configuration.limits.queueBytes,
                    diagnosticsSeconds: configuration.diagnosticRetention.ageSeconds)),
            catalogue: database, intake: intake,
            removal: SymbolRemoval(storage, symbols: symbols),
            deadLetters: DeadLetterResender(archive: database, exporters: exporters),
            folders: storage.folders, metricsText: { metrics.exposition() })
        let services = try await services(
            dependencies, exporters, database, StorageMaintenance(storage, symbols: symbols), logger
        )
        announce(logger)
        try await group(of: services, logger).run()
        try await database.close()
        logger.info("service: stopped")
    }

    /// Logs the data folder and the exporters.
    private func announce(_ logger: Logger) {
        let folder = URL(filePath: configuration.dataFolder).standardizedFileURL.path
        logger.info("service: starting", metadata: ["data": "\(folder)"])
        for export in configuration.exports.map(ExporterSummary.init) {
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

    /// Returns the disk of the data folder, which is created if necessary.
    private func dataDisk() throws -> Disk {
        do {
            try FileManager.default.createDirectory(
                atPath: configuration.dataFolder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            // The caller waits until there is space.
            throw error
        } catch {
            throw Problem(
                "data",
                detail:
                    "'\(configuration.dataFolder)' cannot be created (\(ErrorDescription(error)))",
                suggestion: "use a writable folder")
        }
        return Disk(folder: configuration.dataFolder)
    }

    private func open() throws -> EmbeddedDatabase {
        try EmbeddedDatabase(
            folder: configuration.dataFolder, leastFreeBytes: configuration.limits.freeBytes)
    }

    private func symbolication(with symbols: StoredSymbolIndexes) -> DiagnosticSymbolication {
        DiagnosticSymbolication(
            reader: configuration.payloadReader, hasBoundTokens: tokens.areBound,
            symbolicator: symbols.symbolicators(rules: configuration.inApp))
    }

    private func arrived(_ images: [ImageID], _ flow: IngestFlow, _ logger: Logger) async {
        do throws(JournalError) {
            let count = try await flow.lateSymbols.symbolsArrived(of: images)
            if count > 0 {
                logger.info("symbols: \(count) diagnostics waiting for them are sent again")
            }
        } catch { logger.error("\(error)") }
    }

    /// Returns the services in the order of their start. They stop in reverse order, so that the
    /// last requests are still exported.
    private func services(
        _ dependencies: ServerDependencies, _ exporters: [any Exporter],
        _ database: EmbeddedDatabase,
        _ upkeep: StorageMaintenance, _ logger: Logger
    ) async throws -> [any Service] {
        let settings = try serverSettings(logger)
        let memory = RequestMemoryBudget(settings)
        var services: [any Service] = [
            ConfigurationReloader(
                tokens: tokens, certificate: settings.certificate, threshold: threshold,
                logger: logger, read: read),
            Upkeep(storage: upkeep), QueueGauges(journal: database, now: UnixTime.now),
            DeliveryGauges(
                source: database, exporters: exporters.map(\.name), now: UnixTime.now),
            StorageGauges(
                folder: configuration.dataFolder, readiness: dependencies.readiness,
                queueLimit: configuration.limits.queueBytes),
            DeadLetterGauges(
                archive: database, exporters: exporters.map(\.name), logger: logger),
            DiagnosticRetention(
                journal: database, archive: database,
                settings: configuration.diagnosticRetention, logger: logger, now: UnixTime.now),
        ]
        if let url = configuration.tracingURL {
            services.append(try SelfTracing(url: url, logger: logger))
        }
        services += exports(dependencies, exporters, logger)
        services += [dependencies.ingest.worker, dependencies.ingest.lateSymbols]
        if configuration.grpc != nil {
            services.append(
                try GRPCListener(
                    dependencies: dependencies, settings: settings, memory: memory, logger: logger))
        }
        services.append(
            try HTTPListener(
                dependencies: dependencies, settings: settings, memory: memory, logger: logger
            ) { port in
                if let address = settings.pageAddress(port: port) {
                    logger.info("pages: \(address)")
                }
            })
        return services
    }

    private func serverSettings(_ logger: Logger) throws -> ServerSettings {
        var settings = try configuration.serverSettings(tokens: tokens)
        for warning in settings.certificate?.warnings ?? [] { logger.warning("\(warning)") }
        let descriptors = FileDescriptorLimit.raised()
        if settings.connectionLimit > descriptors.connectionCount {
            logger.warning(
                """
                limits.connections: \(settings.connectionLimit) exceed \(descriptors.count) file \
                descriptors: using \(descriptors.connectionCount): increase the limit (ulimit -n)
                """)
            settings.connectionLimit = descriptors.connectionCount
        }
        return settings
    }

    private func exports(
        _ dependencies: ServerDependencies, _ exporters: [any Exporter], _ logger: Logger
    ) -> [any Service] {
        zip(exporters, configuration.exporterSettings).map { exporter, settings in
            ExportLoop(
                exporter: exporter, source: dependencies.ingest.worker,
                journal: dependencies.journal,
                archive: dependencies.archive, settings: settings.loop,
                settingsFingerprint: settings.mark, board: dependencies.status.board,
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

/// Maintains stored symbols until the service stops.
private struct Upkeep: Service {
    let storage: StorageMaintenance

    func run() async { await cancelWhenGracefulShutdown { await storage.run() } }
}
