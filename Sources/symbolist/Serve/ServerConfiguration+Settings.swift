import CallStacks
import Exporting
import Foundation
import HTTPService
import Ingest
import Kafka
import LogExtraction
import Logging
import MetricKitPayloads
import ServerConfiguration
import SymbolIntake
import TaskCoordination

// The settings of each module.
extension ServerConfiguration {
    /// - Parameter tokens: The tokens that other parts of the service use as well.
    func serverSettings(tokens: Tokens) throws -> ServerSettings {
        var settings = ServerSettings(
            http: .init(host: http.host, port: http.port),
            grpc: .init(host: grpc?.host ?? http.host, port: grpc?.port ?? 0),
            tokens: tokens)
        settings.hosts = hosts
        settings.pageOrigins = Set(pageOrigins.map { $0.lowercased() })
        settings.certificate = try certificate
        settings.bodyLimit = Int(limits.bodyBytes)
        settings.bundleLimit = limits.bundleBytes
        settings.connectionLimit = limits.connectionCount
        settings.connectionLimitPerClient = limits.connectionCountPerClient
        settings.uploadLimit = limits.uploadCount
        settings.requestSeconds = limits.requestTime.components.seconds
        settings.pages = try pageSettings
        settings.redaction = redaction
        settings.isTraced = tracingURL != nil
        return settings
    }

    /// The settings of the pages, with the key from its file, or `nil` if they are disabled.
    private var pageSettings: PageSettings? {
        get throws(PageKeyError) {
            guard let pages else { return nil }
            var settings = PageSettings()
            settings.url = pages.url
            settings.signInSeconds = pages.signIn.components.seconds
            settings.key =
                if let file = pages.keyFile {
                    try PageKey(configuredFile: file)
                } else {
                    try PageKey(dataFile: "\(dataFolder)/pages.key")
                }
            settings.droppedBytes = Int(pages.droppedBytes)
            settings.sourceLinks = pages.sourceLinks
            settings.traceLinks = pages.traceLinks
            return settings
        }
    }

    var tokens: Tokens {
        Tokens(access.tokens.enumerated().map { number, token in token.grant(number: number) })
    }

    /// The loaded certificate files, or `nil` for plaintext.
    var certificate: ServerCertificate? {
        get throws(ListenError) {
            guard let tls else { return nil }
            return try ServerCertificate(
                TLSFiles(
                    certificate: tls.certificate, key: tls.key,
                    clientAuthority: tls.clientAuthorities))
        }
    }

    var ingestSettings: IngestFlow.Settings {
        var settings = IngestFlow.Settings()
        settings.enrichment = EnrichmentSettings(
            stackFormat: stacktrace.format == .json ? .json : .text,
            keepsOriginal: stacktrace.keepsOriginal, usesFullPaths: stacktrace.showsFullPaths)
        settings.enrichment.pagesURL = pages?.url.map { url in
            String(url.reversed().drop { $0 == "/" }.reversed())
        }
        settings.enrichment.redaction = exportRedaction
        settings.redactsStored = redactsStored
        settings.enrichment.honeycomb = honeycomb.map(HoneycombContract.init)
        settings.hasPayloadAdditions = addsMetricKitAttributes
        settings.holdSeconds = hold.components.seconds
        settings.resendWindowSeconds = resendWindow.components.seconds
        settings.resendsForSystem = resendsForSystem
        settings.queueBytesLimit = limits.queueBytes
        settings.exporters = Set(exporterSettings.map(\.name))
        settings.width = workerCount ?? ContainerLimits.processorCount
        return settings
    }

    var payloadReader: PayloadReader {
        var limits = PayloadLimits()
        limits.bytes = Int(self.limits.bodyBytes)
        limits.framesPerTree = self.limits.frameCount
        limits.nestedFrames = self.limits.depth
        var reader = PayloadReader(limits: limits)
        reader.reports = RecordReports.diagnostics
        if let honeycomb { reader.aliases = HoneycombContract(honeycomb).aliases }
        return reader
    }

    var diagnosticRetention: DiagnosticRetention.Settings {
        DiagnosticRetention.Settings(
            ageSeconds: retention.diagnosticsAge.components.seconds,
            bytes: retention.diagnosticsBytes, deadLetterBytes: retention.deadLetterBytes,
            unsentBytes: unsentBytes)
    }

    /// The disk limits, for the log.
    var diskBounds: String {
        let space = FreeSpace(Disk(folder: dataFolder), leastBytes: limits.freeBytes)
        func text(_ bytes: Int64?) -> String {
            guard let bytes, bytes != .max else { return "unlimited" }
            // A share of the disk is not a round number.
            let isLarge = bytes >= 10 << 30
            return ByteSizeFormat.text(isLarge ? (bytes >> 30) << 30 : bytes)
        }
        return """
            limits: queue \(text(limits.queueBytes)), \
            diagnostics \(text(retention.diagnosticsBytes)), \
            dead letters \(text(retention.deadLetterBytes)), \
            symbols \(text(retention.symbolsBytes)); \
            keeps \(text(space.leastBytes)) of the disk free
            """
    }

    func intakeSettings(
        now: @escaping @Sendable () -> UnixTime, logger: Logger
    ) -> IntakeSettings {
        var settings = IntakeSettings(
            data: dataFolder,
            workerCount: limits.uploadWorkerCount ?? ContainerLimits.processorCount,
            logger: logger)
        settings.now = now
        settings.limits.memoryBytes = limits.uploadWorkerMemoryBytes
        settings.limits.processorSeconds = Int(limits.uploadWorkerCPUTime.components.seconds)
        settings.limits.unpackedBytes = limits.unpackedBytes
        settings.mappedBytes = limits.mappedBytes
        settings.leastFreeBytes = limits.freeBytes
        settings.cacheBytes = cluster?.cacheBytes
        settings.cacheWait = cluster?.cacheWait
        settings.retention = SymbolRetention(
            ageSeconds: retention.symbolsAge.map(\.components.seconds),
            bytes: retention.symbolsBytes)
        return settings
    }

    var exporterSettings: [ExporterSettings] { exports.map(ExporterSettings.init) }
}

extension AccessToken {
    /// - Parameter number: Its position in the list, used as its name if it has none.
    fileprivate func grant(number: Int) -> Tokens.Grant {
        Tokens.Grant(
            sha256: digest,
            scopes: Set(scopes.compactMap { TokenScope(rawValue: $0.rawValue) }), app: app,
            name: name ?? "auth.tokens[\(number)]")
    }
}

extension ExporterSettings {
    init(_ export: ExporterConfiguration) {
        switch export.destination {
        case .otlpHTTP(let server): self.init(kind: .otlpHTTP, name: export.name, server)
        case .otlpGRPC(let server): self.init(kind: .otlpGRPC, name: export.name, server)
        case .kafka(let kafka, let compression, let timeout):
            self.init(kind: .kafka, name: export.name)
            self.kafka = KafkaTarget(
                connection: KafkaSettings(kafka), topics: kafka.topics)
            self.compression = compression == .gzip ? .gzip : .none
            self.timeout = timeout
        case .file(let path, let rotation):
            self.init(kind: .file, name: export.name)
            self.path = path
            self.rotation = rotation.map {
                FileRotation(bytesLimit: $0.bytes, keptFileCount: $0.keptCount)
            }
        case .standardOutput: self.init(kind: .standardOutput, name: export.name)
        }
        batchBytesLimit = Int(export.batch.bytes)
        loop.batchRecordLimit = export.batch.recordCount
        loop.fillWait = export.batch.delay
        loop.inFlightLimit = export.batch.inFlightCount
        loop.retry.initialWait = export.retry.initial
        loop.retry.longestWait = export.retry.longest
        loop.retry.longestRequestedWait = export.retry.longestAsked
        loop.retry.maxElapsed = export.retry.total
    }

    private init(kind: Kind, name: String, _ server: ExporterConfiguration.OTLPServer) {
        self.init(kind: kind, name: name)
        url = server.url
        signalURLs[.logs] = server.logsURL
        signalURLs[.traces] = server.tracesURL
        signalURLs[.metrics] = server.metricsURL
        headers = Dictionary(server.headers.map { ($0.name, $0.value.value) }) { $1 }
        compression = server.compression == .gzip ? .gzip : .none
        timeout = server.timeout
        tls.authoritiesFile = server.tls.authorities
        tls.certificateFile = server.tls.certificate
        tls.keyFile = server.tls.key
        tls.acceptsAnyCertificate = server.tls.acceptsAnyCertificate
    }
}

extension HoneycombContract {
    fileprivate init(_ configuration: HoneycombConfiguration) {
        self.init()
        stackTrace = configuration.stackTrace
        metricKitStackTrace = configuration.metricKitStackTrace
        metricKitOutput = configuration.metricKitOutput
        exceptionType = configuration.exceptionType
        exceptionMessage = configuration.exceptionMessage
        original = configuration.original
        failed = configuration.failed
        error = configuration.error
        buildUUID = configuration.buildUUID
        executable = configuration.executable
        language = configuration.language
        allowedLanguages = configuration.allowedLanguages
    }
}
