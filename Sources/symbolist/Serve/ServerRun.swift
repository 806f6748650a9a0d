import CallStacks
import EmbeddedDatabase
import ErrorDescriptions
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
    private(set) var configuration: ServerConfiguration
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
        AllocatorSettings.applyForService()
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
        if let cluster = configuration.cluster {
            let folder = try await wait.run { try NodeFolder(configuration.dataFolder) }
            defer { withExtendedLifetime(folder) {} }
            try await serve(
                in: try await Cluster(cluster, logger: logger), metrics, wait, logger)
        } else {
            let database = try await wait.run { try open() }
            let storage = StoragePorts(database, folder: configuration.dataFolder)
            try await serve(on: storage, metrics, wait, logger)
            try await database.close()
        }
        logger.info("service: stopped")
    }

    /// Serves as a node of a cluster. If another node has claimed this one's lane, because this one
    /// was paused or could not reach the database, it continues with another lane.
    private func serve(
        in cluster: Cluster, _ metrics: PrometheusMetrics, _ wait: DiskSpaceWait, _ logger: Logger
    ) async throws {
        if let pages = configuration.pages, pages.keyFile == nil {
            logger.warning(
                """
                pages.key_file: not set: a person who signs in on one node is not signed in on the \
                others: use the same file on all nodes
                """)
        }
        let lanes = LaneSuccession(logger: logger) {
            try await ClusterMember(
                of: cluster, exporters: configuration.exports.map(\.name), logger: logger)
        } serve: { member in
            try await serve(as: member, in: cluster, metrics, wait, logger)
        }
        // Signals are handled here, so that none is missed between two lanes.
        try await ServiceGroup(
            services: [lanes], gracefulShutdownSignals: Self.stopSignals, logger: logger
        ).run()
        await cluster.close()
    }

    /// Serves with a lane until the node loses it or the service stops.
    private func serve(
        as member: ClusterMember, in cluster: Cluster, _ metrics: PrometheusMetrics,
        _ wait: DiskSpaceWait, _ logger: Logger
    ) async throws {
        do {
            try await member.keeper.renew()
            try await serve(
                on: StoragePorts(member.journal, of: cluster), as: member, metrics, wait, logger)
        } catch is LostLane {
            // The keeper has logged it.
        } catch {
            try? await member.leave()
            throw error
        }
        try await member.leave()
    }

    /// - Parameter member: This node's part of a cluster, or `nil` on a single machine.
    private func serve(
        on storage: StoragePorts, as member: ClusterMember? = nil,
        _ metrics: PrometheusMetrics, _ wait: DiskSpaceWait, _ logger: Logger
    ) async throws {
        let symbolStorage = SymbolStorage(
            settings: configuration.intakeSettings(now: storage.now, logger: logger),
            catalogue: storage.catalogue, blobs: storage.blobs,
            sharedIndexes: storage.sharedIndexes, sharedFiles: storage.sharedFiles)
        try await wait.run { try symbolStorage.prepare() }
        let symbols = StoredSymbolIndexes(symbolStorage)
        try await wait.run { try await symbols.prepare() }
        let exporters = try exporters(of: member)
        let requests = try kafkaRequests()
        var dependencies = try await dependencies(
            on: storage, symbolStorage, symbols, exporters, requests, metrics, wait, logger)
        dependencies.sharesFigures = member != nil
        let upkeep = StorageMaintenance(symbolStorage, symbols: symbols)
        var services = try await services(
            dependencies, exporters, storage, upkeep, requests, of: member, logger)
        if let member {
            services = member.services(
                around: services, symbols: symbols,
                pipeline: pipeline(dependencies, exporters, storage, logger))
        }
        announce(logger)
        if member != nil { warnOfOwnOutput(logger) }
        try await group(of: services, signals: member == nil ? Self.stopSignals : [], logger).run()
    }

    /// Starts the flow, and returns it with everything else that requests use.
    private func dependencies(
        on storage: StoragePorts, _ symbolStorage: SymbolStorage, _ symbols: StoredSymbolIndexes,
        _ exporters: [any Exporter], _ requests: KafkaRequests?, _ metrics: PrometheusMetrics,
        _ wait: DiskSpaceWait, _ logger: Logger
    ) async throws -> ServerDependencies {
        let symbolication = symbolication(with: symbols)
        var flow = try await flow(
            on: storage, symbolChanges: symbols, symbolication, wait, logger)
        if let requests { flow = flow.producing(to: requests) }
        let lateSymbols = flow.lateSymbols
        let intake = UploadIntake(symbolStorage, symbols: symbols) { images in
            await arrived(images, lateSymbols, logger)
        }
        return ServerDependencies(
            ingest: flow, symbolication: symbolication, symbols: symbols,
            journal: storage.journal, archive: storage.archive, figures: storage.figures,
            groups: storage.groups, flames: MergedFlames(archive: storage.stacks),
            status: status(of: storage, files: symbolStorage.folders), cluster: storage.cluster,
            catalogue: storage.catalogue, intake: intake,
            removal: SymbolRemoval(symbolStorage, symbols: symbols),
            deadLetters: DeadLetterResender(archive: storage.deadLetters, exporters: exporters),
            folders: symbolStorage.folders, metricsText: { metrics.exposition() })
    }

    private func flow(
        on storage: StoragePorts, symbolChanges: StoredSymbolIndexes,
        _ symbolication: DiagnosticSymbolication, _ wait: DiskSpaceWait, _ logger: Logger
    ) async throws -> IngestFlow {
        var settings = configuration.ingestSettings
        // Runs before anything arrives, because a new reader starts after the last entry.
        let checks = JournalReaderSetup(
            configuration: configuration, journal: storage.journal, logger: logger)
        settings.orphans = try await wait.run { try await checks.run() }
        return try await IngestFlow(
            journal: storage.journal, archive: storage.archive, revisions: storage.revisions,
            symbolChanges: symbolChanges, symbolication: symbolication, settings: settings,
            logger: logger, now: storage.now)
    }

    private func status(
        of storage: StoragePorts, files: DataFolders
    ) -> OperationStatusSource {
        OperationStatusSource(
            journal: storage.journal, groups: storage.groups, catalogue: storage.catalogue,
            files: files, databaseBytes: storage.databaseBytes,
            limits: OperationStatus.Limits(
                queueBytes: configuration.limits.queueBytes,
                diagnosticsSeconds: configuration.diagnosticRetention.ageSeconds))
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

    /// Warns of exporters whose output is only that of this node.
    private func warnOfOwnOutput(_ logger: Logger) {
        for export in configuration.exports where export.isLocal {
            logger.warning(
                "export: \(export.name): writes on this machine only what this node processes")
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
        if let mark = try MoveMark(ofFolder: configuration.dataFolder) { throw mark.refusal }
        return try EmbeddedDatabase(
            folder: configuration.dataFolder, leastFreeBytes: configuration.limits.freeBytes)
    }

    private func symbolication(with symbols: StoredSymbolIndexes) -> DiagnosticSymbolication {
        DiagnosticSymbolication(
            reader: configuration.payloadReader, hasBoundTokens: tokens.areBound,
            symbolicator: symbols.symbolicators(rules: configuration.inApp))
    }

    private func arrived(
        _ images: [ImageID], _ lateSymbols: LateSymbols, _ logger: Logger
    ) async {
        do throws(JournalError) {
            let count = try await lateSymbols.symbolsArrived(of: images)
            if count > 0 {
                logger.info("symbols: \(count) diagnostics waiting for them are sent again")
            }
        } catch { logger.error("\(error)") }
    }

    /// Returns the services in the order of their start. They stop in reverse order, so that the
    /// last requests are still exported.
    private func services(
        _ dependencies: ServerDependencies, _ exporters: [any Exporter],
        _ storage: StoragePorts, _ upkeep: StorageMaintenance, _ requests: KafkaRequests?,
        of member: ClusterMember?, _ logger: Logger
    ) async throws -> [any Service] {
        let settings = try serverSettings(logger)
        var services: [any Service] = [
            ConfigurationReloader(
                tokens: tokens, certificate: settings.certificate, threshold: threshold,
                logger: logger, read: read),
            Upkeep(storage: upkeep),
        ]
        services += gauges(of: storage, dependencies.readiness, exporters.map(\.name), logger)
        services.append(
            DiagnosticRetention(
                journal: storage.journal, archive: storage.archive,
                deadLetters: storage.deadLetters,
                settings: configuration.diagnosticRetention, logger: logger, now: storage.now))
        if let url = configuration.tracingURL {
            services.append(try SelfTracing(url: url, logger: logger))
        }
        var pipeline =
            exports(
                from: dependencies.ingest.worker, of: storage.journal, storage.deadLetters,
                dependencies, exporters, now: storage.now, logger)
            + [dependencies.ingest.worker, dependencies.ingest.lateSymbols]
        if let requests, let stream = configuration.stream, let cluster = configuration.cluster {
            pipeline += try await self.stream(
                stream, lease: cluster.lease, requests, dependencies, exporters, storage, logger)
        }
        services += member?.bound(pipeline) ?? pipeline
        return try services + listeners(dependencies, settings, logger)
    }

    private func gauges(
        of storage: StoragePorts, _ readiness: Readiness, _ exporters: [String], _ logger: Logger
    ) -> [any Service] {
        [
            QueueGauges(journal: storage.journal, now: storage.now),
            DeliveryGauges(source: storage.delivery, exporters: exporters, now: storage.now),
            StorageGauges(
                folder: configuration.dataFolder, readiness: readiness,
                queueLimit: configuration.limits.queueBytes),
            DeadLetterGauges(archive: storage.deadLetters, exporters: exporters, logger: logger),
        ]
    }

    private func listeners(
        _ dependencies: ServerDependencies, _ settings: ServerSettings, _ logger: Logger
    ) throws -> [any Service] {
        let memory = RequestMemoryBudget(settings)
        let http = try HTTPListener(
            dependencies: dependencies, settings: settings, memory: memory, logger: logger
        ) { port in
            if let address = settings.pageAddress(port: port) { logger.info("pages: \(address)") }
        }
        guard configuration.grpc != nil else { return [http] }
        let grpc = try GRPCListener(
            dependencies: dependencies, settings: settings, memory: memory, logger: logger)
        return [grpc, http]
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

    private static let stopSignals: [UnixSignal] = [.sigterm, .sigint]

    private func group(
        of services: [any Service], signals: [UnixSignal], _ logger: Logger
    ) -> ServiceGroup {
        let services = services.map { service in
            // After the loss of a lane, the requests that are under way are still answered.
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service,
                failureTerminationBehavior: service is LaneKeeper
                    ? .gracefullyShutdownGroup : .cancelGroup)
        }
        var settings = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals, logger: logger)
        settings.maximumGracefulShutdownDuration = .seconds(30)
        return ServiceGroup(configuration: settings)
    }
}
