import CallStacks
import Foundation
import HTTPService
import Ingest
import Logging
import ServerConfiguration
import ServiceLifecycle
import SymbolIntake
import Symbolication
import Telemetry
import UnixSignals

/// Assembles the parts of the service on its storage, and runs them until the service is stopped.
struct ServerAssembly: Sendable {
    let configuration: ServerConfiguration
    let storage: StoragePorts
    /// This node's part of a cluster, or `nil` on a single machine.
    let member: ClusterMember?
    let process: ServerProcess
    let exporters: [any Exporter]
    /// The stream that accepts OTLP requests in place of the journal, or `nil` if there is none.
    let requests: KafkaRequestProducer?
    private let symbolStorage: SymbolStorage
    private let symbols: StoredSymbolIndexes

    static let stopSignals: [UnixSignal] = [.sigterm, .sigint]

    var logger: Logger { process.logger }

    /// Prepares the storage of symbols, and connects to the receivers.
    init(
        _ configuration: ServerConfiguration, on storage: StoragePorts,
        as member: ClusterMember? = nil, _ process: ServerProcess
    ) async throws {
        self.configuration = configuration
        self.storage = storage
        self.member = member
        self.process = process
        let symbolStorage = SymbolStorage(
            settings: configuration.intakeSettings(now: storage.now, logger: process.logger),
            catalogue: storage.catalogue, blobs: storage.blobs,
            sharedIndexes: storage.sharedIndexes, sharedFiles: storage.sharedFiles)
        try await process.diskSpace.run { try symbolStorage.prepare() }
        let symbols = StoredSymbolIndexes(symbolStorage)
        try await process.diskSpace.run { try await symbols.prepare() }
        self.symbolStorage = symbolStorage
        self.symbols = symbols
        exporters = try configuration.exporters(of: member)
        requests = try configuration.kafkaRequests()
    }

    func run() async throws {
        let settings = try serverSettings()
        try settings.checkAddresses(withGRPC: configuration.grpc != nil)
        let dependencies = try await dependencies()
        var services = try await services(dependencies, settings)
        if let member {
            services = member.services(
                around: services, symbols: symbols, pipeline: pipeline(dependencies))
        }
        announce()
        if member != nil { warnOfOwnOutput() }
        try await group(of: services).run()
    }

    /// Starts the flow, and returns it with all other dependencies of request handlers.
    private func dependencies() async throws -> ServerDependencies {
        let symbolication = DiagnosticSymbolication(
            reader: configuration.payloadReader, hasBoundTokens: process.tokens.areBound,
            symbolicator: symbols.symbolicators(rules: configuration.inApp))
        var flow = try await flow(symbolication)
        if let requests { flow = flow.producing(to: requests) }
        let lateSymbols = flow.lateSymbols
        let intake = UploadIntake(symbolStorage, symbols: symbols) { [logger] images in
            await Self.symbolsArrived(of: images, lateSymbols, logger)
        }
        let metrics = process.metrics
        var dependencies = ServerDependencies(
            ingest: flow, symbolication: symbolication, symbols: symbols,
            journal: storage.journal, archive: storage.archive, figures: storage.figures,
            groups: storage.groups, flames: MergedFlames(archive: storage.stacks),
            status: status, cluster: storage.cluster,
            catalogue: storage.catalogue, intake: intake,
            removal: SymbolRemoval(symbolStorage, symbols: symbols),
            deadLetters: DeadLetterResender(archive: storage.deadLetters, exporters: exporters),
            folders: symbolStorage.folders, metricsText: { metrics.exposition() })
        dependencies.sharesFigures = member != nil
        return dependencies
    }

    private func flow(_ symbolication: DiagnosticSymbolication) async throws -> IngestFlow {
        var settings = configuration.ingestSettings
        // Runs before any request is accepted, because a new reader starts after the last entry.
        let checks = JournalReaderSetup(
            configuration: configuration, journal: storage.journal, logger: logger)
        settings.orphans = try await process.diskSpace.run { try await checks.run() }
        return try await IngestFlow(
            journal: storage.journal, archive: storage.archive, revisions: storage.revisions,
            symbolChanges: symbols, symbolication: symbolication, settings: settings,
            logger: logger, now: storage.now)
    }

    private static func symbolsArrived(
        of images: [ImageID], _ lateSymbols: LateSymbols, _ logger: Logger
    ) async {
        do throws(JournalError) {
            let count = try await lateSymbols.symbolsArrived(of: images)
            if count > 0 {
                logger.info("symbols: sending diagnostics again that waited for them: \(count)")
            }
        } catch { logger.error("\(error)") }
    }

    private var status: OperationStatusSource {
        OperationStatusSource(
            journal: storage.journal, groups: storage.groups, catalogue: storage.catalogue,
            files: symbolStorage.folders, databaseBytes: storage.databaseBytes,
            limits: OperationStatus.Limits(
                queueBytes: configuration.limits.queueBytes,
                diagnosticsSeconds: configuration.diagnosticRetention.ageSeconds))
    }

    /// Returns the services in the order of their start. They stop in reverse order, so that the
    /// last requests are still exported.
    private func services(
        _ dependencies: ServerDependencies, _ settings: ServerSettings
    ) async throws -> [any Service] {
        var services: [any Service] = [
            ConfigurationReloader(process, certificate: settings.certificate),
            Upkeep(storage: StorageMaintenance(symbolStorage, symbols: symbols)),
        ]
        services += gauges(dependencies.readiness)
        services.append(
            DiagnosticRetention(
                journal: storage.journal, archive: storage.archive,
                deadLetters: storage.deadLetters,
                settings: configuration.diagnosticRetention, logger: logger, now: storage.now))
        if let url = configuration.tracingURL {
            services.append(try SelfTracing(url: url, logger: logger))
        }
        let pipeline = try await ownPipeline(dependencies)
        services += member?.bound(pipeline) ?? pipeline
        return try services + listeners(dependencies, settings)
    }

    private func gauges(_ readiness: Readiness) -> [any Service] {
        let exporters = exporters.map(\.name)
        return [
            QueueGauges(journal: storage.journal, now: storage.now),
            DeliveryGauges(source: storage.delivery, exporters: exporters, now: storage.now),
            StorageGauges(
                folder: configuration.dataFolder, hasDatabase: member == nil, readiness: readiness,
                queueLimit: configuration.limits.queueBytes),
            DeadLetterGauges(archive: storage.deadLetters, exporters: exporters, logger: logger),
        ]
    }

    /// Logs the data folder and the exporters.
    private func announce() {
        let folder = URL(filePath: configuration.dataFolder).standardizedFileURL.path
        logger.info("service: starting", metadata: ["data": "\(folder)"])
        for export in configuration.exports.map(ExporterSummary.init) {
            logger.info(
                "export: \(export.name)",
                metadata: ["type": "\(export.type)", "target": "\(export.target)"])
        }
    }

    /// Warns about exporters whose output contains only the results of this node.
    private func warnOfOwnOutput() {
        for export in configuration.exports where export.isLocal {
            logger.warning(
                "export: \(export.name): writes on this machine only what this node processes")
        }
    }

    private func group(of services: [any Service]) -> ServiceGroup {
        let services = services.map { service in
            // These stop the group gracefully: after a lane is lost, requests in progress still get
            // a response, and if a listener fails, for instance because its port is in use, the
            // other one does not report its cancellation as an error.
            let stopsGracefully =
                service is LaneKeeper || service is HTTPListener || service is GRPCListener
            return ServiceGroupConfiguration.ServiceConfiguration(
                service: service,
                failureTerminationBehavior: stopsGracefully
                    ? .gracefullyShutdownGroup : .cancelGroup)
        }
        // A node handles signals outside of its lanes.
        var settings = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: member == nil ? Self.stopSignals : [],
            logger: logger.withoutDetails)
        settings.maximumGracefulShutdownDuration = .seconds(30)
        return ServiceGroup(configuration: settings)
    }
}
