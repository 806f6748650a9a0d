import Logging
import Symbolication
import Telemetry

extension ServerConfiguration {
    /// - Parameter problems: Gains what does not go together.
    init(_ reader: SettingReader, problems: inout [SettingProblem]) {
        dataFolder = reader.value("data") { $0 }
        http = Listener(reader, "http")
        hosts = reader.texts("http.hosts")
        grpc = reader.isOn("grpc.enabled") ? Listener(reader, "grpc") : nil
        tls = ServerTLS(reader, problems: &problems)
        access = Access(reader, problems: &problems)
        exports = Export.all(reader, problems: &problems)
        stacktrace = Stacktrace(
            format: reader.value("stacktrace.format", Stacktrace.Format.init(rawValue:)),
            keepsOriginal: reader.isOn("stacktrace.keep_original"),
            showsFullPaths: reader.isOn("stacktrace.full_paths"))
        hasMetricKitAdditions = reader.isOn("metrickit.additions")
        hold = reader.duration("hold")
        resendWindow = reader.duration("resend.window")
        inApp = InAppRules(
            app: reader.texts("in_app.include"), system: reader.texts("in_app.exclude"))
        limits = Limits(reader)
        retention = Retention(reader)
        workerCount = reader.number(ifAny: "workers")
        log = Log(
            level: reader.value("log.level", Logger.Level.init(rawValue:)),
            format: reader.value("log.format", LogFormat.init(rawValue:)))
        tracingURL = reader.text("tracing.url")
        unsetBounds = Set(DiskBound.allCases.filter { !reader.isGiven($0.rawValue) })
        problems += exposureProblems(reader)
    }

    /// What would be open to everybody, and two listeners in one place.
    private func exposureProblems(_ reader: SettingReader) -> [SettingProblem] {
        let listeners = [("http", http)] + (grpc.map { [("grpc", $0)] } ?? [])
        var problems: [SettingProblem] = []
        if access.tokens.isEmpty, !access.isAnonymous {
            for (group, listener) in listeners where !listener.isLoopback {
                let key = "\(group).host"
                let text =
                    "\(reader.place(key)): '\(listener.host)' is open to the network and there are "
                    + "no tokens: give auth.tokens, or set auth.anonymous to true"
                problems.append(SettingProblem(key: key, text: text))
            }
        }
        if http.port != 0, grpc == http {
            let text =
                "\(reader.place("grpc.port")): \(http.port) is the port of HTTP as well: give "
                + "another one, or set grpc.enabled to false"
            problems.append(SettingProblem(key: "grpc.port", text: text))
        }
        return problems
    }
}

extension ServerConfiguration.Listener {
    fileprivate init(_ reader: SettingReader, _ group: String) {
        host = reader.value("\(group).host") { $0 }
        port = reader.number("\(group).port")
    }

    /// Whether only programs on this machine reach it. A name counts only if it is the one that
    /// always means this machine.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
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
        childMemoryBytes = reader.bytes("limits.memory")
        childProcessorTime = reader.duration("limits.child_cpu")
        childCount = reader.number(ifAny: "limits.children")
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
            let text =
                "\(reader.place(first)): stands alone: give both tls.certificate and tls.key"
            problems.append(SettingProblem(key: first, text: text))
            return nil
        }
        self.init(
            certificate: certificate, key: key, clientAuthorities: reader.text(keys[2]))
    }
}
