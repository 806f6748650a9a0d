import CallStacks
import Logging
import Symbolication
import Telemetry

extension ServerConfiguration {
    /// - Parameter problems: Conflicts between settings are appended to it.
    init(_ reader: SettingReader, problems: inout [SettingProblem]) {
        dataFolder = reader.value("data") { $0 }
        http = Listener(reader, group: "http")
        hosts = reader.texts("http.hosts")
        pageOrigins = reader.texts("http.origins")
        grpc = reader.isOn("grpc.enabled") ? Listener(reader, group: "grpc") : nil
        tls = ServerTLS(reader, problems: &problems)
        access = AccessControl(reader, problems: &problems)
        exports = ExporterConfiguration.all(reader, problems: &problems)
        pages = reader.isOn("pages.enabled") ? Pages(reader) : nil
        redaction = reader.value("pages.redact", RedactionLevel.init(rawValue:))
        redactsStored = reader.value("privacy.store") { $0 == "redacted" }
        exportRedaction = reader.value("privacy.export", RedactionLevel.init(rawValue:))
        stacktrace = Stacktrace(
            format: reader.value("stacktrace.format", Stacktrace.Format.init(rawValue:)),
            keepsOriginal: reader.isOn("stacktrace.keep_original"),
            showsFullPaths: reader.isOn("stacktrace.full_paths"))
        honeycomb = HoneycombConfiguration(reader)
        addsMetricKitAttributes = reader.isOn("metrickit.additions")
        hold = reader.duration("hold")
        resendWindow = reader.duration("resend.window")
        resendsForSystem = reader.isOn("resend.system")
        inApp = InAppRules(
            app: reader.texts("in_app.include"), system: reader.texts("in_app.exclude"))
        limits = Limits(reader)
        retention = Retention(reader)
        cluster = ClusterConfiguration(reader, problems: &problems)
        stream = StreamConfiguration(
            reader, isShared: cluster != nil, exports: exports, problems: &problems)
        workerCount = reader.number(ifAny: "workers")
        log = Log(
            level: reader.value("log.level", Logger.Level.init(rawValue:)),
            format: reader.value("log.format", LogFormat.init(rawValue:)))
        tracingURL = reader.text("tracing.url")
        unsetDiskLimits = Set(DiskLimit.allCases.filter { !reader.isGiven($0.rawValue) })
        hasOwnWorkerMemory = reader.isGiven("limits.memory")
        problems += exposureProblems(reader)
    }

    /// Returns problems of listeners that would be open to the network without tokens, or that use
    /// the same port.
    private func exposureProblems(_ reader: SettingReader) -> [SettingProblem] {
        var problems: [SettingProblem] = []
        if access.tokens.isEmpty, !access.isAnonymous {
            for (group, listener) in networkListeners {
                let key = "\(group).host"
                problems.append(
                    reader.problem(
                        key, "'\(listener.host)' is open to the network, and there are no tokens",
                        suggestion: "set auth.tokens, or auth.anonymous: true"))
            }
        }
        if http.port != 0, grpc == http {
            problems.append(
                reader.problem(
                    "grpc.port", "\(http.port) is also the port of HTTP",
                    suggestion: "use a different one, or set grpc.enabled to false"))
        }
        return problems
    }

    /// The listeners that are open to the network, with their groups of settings.
    public var networkListeners: [(group: String, listener: Listener)] {
        let listeners = [("http", http)] + (grpc.map { [("grpc", $0)] } ?? [])
        return listeners.filter { !$0.1.isLoopback }
    }
}

extension ServerConfiguration.Listener {
    fileprivate init(_ reader: SettingReader, group: String) {
        host = reader.value("\(group).host") { $0 }
        port = reader.number("\(group).port")
    }

    /// Whether it is reachable only from this machine. The only name that is certain to be local is
    /// `localhost`.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension ServerConfiguration.Pages {
    fileprivate init(_ reader: SettingReader) {
        url = reader.text("pages.url")
        signIn = reader.duration("pages.sign_in")
        keyFile = reader.text("pages.key_file")
        droppedBytes = reader.bytes("pages.dropped")
        sourceLinks = reader.text("links.source")
        traceLinks = reader.text("links.trace")
    }
}

extension ServerConfiguration.Limits {
    fileprivate init(_ reader: SettingReader) {
        bodyBytes = reader.bytes("limits.body")
        bundleBytes = reader.bytes("limits.bundle")
        unpackedBytes = reader.bytes("limits.unpacked")
        frameCount = reader.number("limits.frames")
        depth = reader.number("limits.depth")
        queueBytes = reader.bytes("limits.queue_bytes")
        freeBytes = reader.bytes(ifAny: "limits.free_bytes")
        mappedBytes = reader.bytes("limits.mapped_bytes")
        uploadWorkerMemoryBytes = reader.bytes("limits.memory")
        uploadWorkerCPUTime = reader.duration("limits.child_cpu")
        uploadWorkerCount = reader.number(ifAny: "limits.children")
        connectionCount = reader.number("limits.connections")
        connectionCountPerClient = reader.number(ifAny: "limits.connections_per_client")
        uploadCount = reader.number("limits.uploads")
        requestTime = .seconds(reader.number("limits.request_seconds"))
    }
}

extension ServerConfiguration.Retention {
    fileprivate init(_ reader: SettingReader) {
        symbolsAge = reader.duration(ifAny: "retention.symbols_age")
        symbolsBytes = reader.bytes(ifAny: "retention.symbols_bytes")
        diagnosticsAge = reader.duration("retention.diagnostics_age")
        diagnosticsBytes = reader.bytes("retention.diagnostics_bytes")
        deadLetterBytes = diagnosticsBytes
    }
}

extension ServerTLS {
    fileprivate init?(_ reader: SettingReader, problems: inout [SettingProblem]) {
        let keys = ["tls.certificate", "tls.key", "tls.client_ca"]
        let given = keys.filter { reader.text($0) != nil }
        guard let first = given.first else { return nil }
        guard let certificate = reader.text(keys[0]), let key = reader.text(keys[1]) else {
            problems.append(
                reader.problem(
                    first, "is set alone", suggestion: "set both tls.certificate and tls.key"))
            return nil
        }
        self.init(
            certificate: certificate, key: key, clientAuthorities: reader.text(keys[2]))
    }
}
