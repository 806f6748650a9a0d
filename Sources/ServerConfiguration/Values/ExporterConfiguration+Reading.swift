extension ExporterConfiguration {
    /// Names that other readers of the journal use.
    private static let reservedNames: Set<String> = ["worker"]

    static func all(
        _ reader: SettingReader, problems: inout [SettingProblem]
    ) -> [ExporterConfiguration] {
        var exports: [ExporterConfiguration] = []
        for item in reader.items(of: "export") {
            do throws(SettingProblem) {
                let export = try ExporterConfiguration(item)
                let isTaken = exports.contains { $0.name == export.name }
                guard !isTaken, !reservedNames.contains(export.name) else {
                    throw item.problem(
                        "", "the name '\(export.name)' is already in use",
                        suggestion: "set a different one")
                }
                exports.append(export)
            } catch {
                problems.append(error)
            }
        }
        return exports
    }

    private init(_ item: SettingReader) throws(SettingProblem) {
        let type = item.value("type") { $0 }
        try Self.refuseOthers(item, type: type)
        switch type {
        case "file":
            guard let path = item.text("path") else {
                throw item.problem("", "has no path", suggestion: "set path to the output file")
            }
            let rotation = item.bytes(ifAny: "rotate.bytes").map { bytes in
                Rotation(bytes: bytes, keptCount: item.number("rotate.keep"))
            }
            destination = .file(path: path, rotation: rotation)
        case "stdout":
            destination = .standardOutput
        case "kafka":
            guard let brokers = item.text("brokers") else {
                throw item.problem("", "has no brokers", suggestion: "set brokers to HOST:PORT")
            }
            destination = .kafka(
                try KafkaConfiguration(item, brokers: brokers),
                compression: item.value(
                    "compression", ExporterConfiguration.Compression.init(rawValue:)),
                timeout: item.duration("timeout"))
        default:
            let server = try OTLPServer(item, isGRPC: type == "otlp_grpc")
            destination = type == "otlp_grpc" ? .otlpGRPC(server) : .otlpHTTP(server)
        }
        name = ""
        retry = try Retry(item)
        batch = Batch(
            bytes: item.bytes("batch.bytes"), recordCount: item.number("batch.records"),
            delay: item.duration("batch.delay"), inFlightCount: item.number("batch.in_flight"))
        name = item.text("name") ?? defaultName
    }

    /// Rejects a key that has no effect for the type, because it is probably a mistake.
    private static func refuseOthers(
        _ item: SettingReader, type: String
    ) throws(SettingProblem) {
        let signalURLs = ["logs_url", "traces_url", "metrics_url"]
        let ofFiles = ["path", "rotate.bytes", "rotate.keep"]
        let ofServers = ["url", "headers"]
        let ofConnections = [
            "compression", "tls.ca", "tls.certificate", "tls.key", "tls.insecure",
        ]
        let ofKafka = [
            "brokers", "topics.logs", "topics.traces", "topics.metrics", "client_id",
            "security.protocol", "sasl.mechanism", "sasl.user", "sasl.password_file",
        ]
        let others =
            switch type {
            case "otlp_http": ofFiles + ofKafka
            case "otlp_grpc": ofFiles + signalURLs + ofKafka
            case "kafka": ofFiles + ofServers + signalURLs
            case "file": ofServers + ofConnections + signalURLs + ofKafka
            default: ofFiles + ofServers + ofConnections + signalURLs + ofKafka
            }
        if let name = others.first(where: item.isGiven) {
            throw item.problem(
                name, "does not apply to type '\(type)'", suggestion: "remove one of them")
        }
    }
}

extension ExporterConfiguration.OTLPServer {
    fileprivate init(_ item: SettingReader, isGRPC: Bool) throws(SettingProblem) {
        url = item.text("url")
        logsURL = item.text("logs_url")
        tracesURL = item.text("traces_url")
        metricsURL = item.text("metrics_url")
        let signalURLs = ["logs_url": logsURL, "traces_url": tracesURL, "metrics_url": metricsURL]
        let missing = signalURLs.filter { $0.value == nil }.keys.sorted()
        guard url != nil || !isGRPC && missing.isEmpty else {
            let isPart = !isGRPC && missing.count < signalURLs.count
            let subject = isPart ? "url or \(missing.joined(separator: " and "))" : "url"
            throw item.problem(
                "", "has no \(subject)", suggestion: "set one such as http://collector:4318")
        }
        headers = item.texts("headers").map { pair in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.count + 1)
            return ExporterConfiguration.Header(name: String(name), value: Secret(String(value)))
        }
        compression = item.value("compression", ExporterConfiguration.Compression.init(rawValue:))
        timeout = item.duration("timeout")
        tls = try ExporterConfiguration.ClientTLS(item)
        try refuseUnusedTLS(item)
    }

    /// Rejects settings of TLS that no URL uses. A user who sets them expects an encrypted connection.
    private func refuseUnusedTLS(_ item: SettingReader) throws(SettingProblem) {
        let urls = [url, logsURL, tracesURL, metricsURL].compactMap { $0?.lowercased() }
        let keys = ["tls.ca", "tls.certificate", "tls.key", "tls.insecure"]
        guard !urls.contains(where: { $0.hasPrefix("https:") }),
            let key = keys.first(where: item.isGiven)
        else { return }
        throw item.problem(
            key, "has no effect on an http URL", suggestion: "use an https URL, or remove it")
    }
}

extension ExporterConfiguration.ClientTLS {
    /// - Parameter prefix: The start of the keys, or nothing in a list.
    init(_ reader: SettingReader, prefix: String = "") throws(SettingProblem) {
        self.init(
            authorities: reader.text("\(prefix)tls.ca"),
            certificate: reader.text("\(prefix)tls.certificate"),
            key: reader.text("\(prefix)tls.key"),
            acceptsAnyCertificate: reader.isOn("\(prefix)tls.insecure"))
        if (certificate == nil) != (key == nil) {
            let name = key == nil ? "tls.certificate" : "tls.key"
            throw reader.problem(
                prefix + name, "is set alone",
                suggestion: "set both \(prefix)tls.certificate and \(prefix)tls.key")
        }
    }
}

extension ExporterConfiguration.Retry {
    fileprivate init(_ item: SettingReader) throws(SettingProblem) {
        initial = item.duration("retry.initial")
        longest = item.duration("retry.max")
        longestAsked = item.duration("retry.max_asked")
        total = item.duration(ifAny: "retry.max_elapsed")
        if longest < initial {
            throw item.problem(
                "retry.max", "is shorter than retry.initial", suggestion: "use a longer time")
        }
    }
}
