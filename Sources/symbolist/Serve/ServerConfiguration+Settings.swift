import Exporting
import Foundation
import Ingest
import Logging
import MetricKitPayloads
import ServerConfiguration
import SymbolIntake
import SymbolServer

// What each module is told of the configuration.
extension ServerConfiguration {
    /// - Parameter tokens: Those that other parts of the service go by as well.
    func serverSettings(tokens: Tokens) throws -> ServerSettings {
        var settings = ServerSettings(
            http: .init(host: http.host, port: http.port),
            grpc: .init(host: grpc?.host ?? http.host, port: grpc?.port ?? 0),
            tokens: tokens)
        settings.hosts = hosts
        settings.certificate = try certificate
        settings.bodyLimit = Int(limits.bodyBytes)
        settings.bundleLimit = limits.bundleBytes
        settings.connectionLimit = limits.connectionCount
        settings.connectionLimitPerClient = limits.connectionCountPerClient
        settings.uploadLimit = limits.uploadCount
        settings.requestSeconds = limits.requestTime.components.seconds
        return settings
    }

    var tokens: Tokens {
        Tokens(access.tokens.enumerated().map { number, token in token.grant(number: number) })
    }

    /// Its files are read, which fails for those that cannot be used.
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
        settings.hasPayloadAdditions = hasMetricKitAdditions
        settings.holdSeconds = hold.components.seconds
        settings.resendWindowSeconds = resendWindow.components.seconds
        settings.queueBytesLimit = limits.queueBytes
        settings.width = workerCount ?? ProcessInfo.processInfo.activeProcessorCount
        return settings
    }

    var payloadReader: PayloadReader {
        var limits = PayloadLimits()
        limits.bytes = Int(self.limits.bodyBytes)
        limits.framesPerTree = self.limits.frameCount
        limits.nestedFrames = self.limits.depth
        return PayloadReader(limits: limits)
    }

    var diagnosticRetention: DiagnosticRetention.Settings {
        DiagnosticRetention.Settings(
            ageSeconds: retention.diagnosticsAge.components.seconds,
            bytes: retention.diagnosticsBytes, deadLetterBytes: retention.deadLetterBytes,
            unsentBytes: unsentBytes)
    }

    /// What is kept on the disk at most, for the log.
    var diskBounds: String {
        let space = FreeSpace(Disk(folder: dataFolder), leastBytes: limits.freeBytes)
        let symbols = retention.symbolsBytes.map { "\($0)" } ?? "any number of"
        return """
            keeps at most \(limits.queueBytes) bytes of requests that wait, \
            \(retention.diagnosticsBytes) of diagnostics, \(retention.deadLetterBytes) of dead \
            letters and \(symbols) bytes of symbols; leaves \(space.leastBytes) bytes free
            """
    }

    func intakeSettings(logger: Logger) -> IntakeSettings {
        var settings = IntakeSettings(
            data: dataFolder,
            childCount: limits.childCount ?? ProcessInfo.processInfo.activeProcessorCount,
            logger: logger)
        settings.limits.memoryBytes = limits.childMemoryBytes
        settings.limits.processorSeconds = Int(limits.childProcessorTime.components.seconds)
        settings.limits.unpackedBytes = limits.unpackedBytes
        settings.mappedBytes = limits.mappedBytes
        settings.leastFreeBytes = limits.freeBytes
        settings.retention = SymbolRetention(
            ageSeconds: retention.symbolsAge.map(\.components.seconds),
            bytes: retention.symbolsBytes)
        return settings
    }

    var exporterSettings: [ExporterSettings] { exports.map(ExporterSettings.init) }
}

extension AccessToken {
    /// - Parameter number: Its place in the list, which names it where nothing else does.
    fileprivate func grant(number: Int) -> Tokens.Grant {
        Tokens.Grant(
            sha256: digest,
            scopes: Set(scopes.compactMap { TokenScope(rawValue: $0.rawValue) }), app: app,
            name: name ?? "auth.tokens[\(number)]")
    }
}

extension ExporterSettings {
    init(_ export: Export) {
        switch export.destination {
        case .otlpHTTP(let server): self.init(kind: .otlpHTTP, name: export.name, server)
        case .otlpGRPC(let server): self.init(kind: .otlpGRPC, name: export.name, server)
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
        loop.retry.longestAskedWait = export.retry.longestAsked
        loop.retry.maxElapsed = export.retry.total
    }

    private init(kind: Kind, name: String, _ server: Export.OTLPServer) {
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
