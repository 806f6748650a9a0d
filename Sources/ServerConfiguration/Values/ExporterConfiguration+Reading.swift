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
            if rotation?.bytes == 0 {
                throw item.problem("rotate.bytes", "is 0", suggestion: "use a larger size")
            }
            destination = .file(path: path, rotation: rotation)
        case "stdout":
            destination = .standardOutput
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
        let ofServers = [
            "url", "headers", "compression", "tls.ca", "tls.certificate", "tls.key",
            "tls.insecure",
        ]
        let others =
            switch type {
            case "otlp_http": ofFiles
            case "otlp_grpc": ofFiles + signalURLs
            case "file": ofServers + signalURLs
            default: ofFiles + ofServers + signalURLs
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
        if timeout == .zero {
            throw item.problem("timeout", "is 0", suggestion: "use a longer time")
        }
        tls = ExporterConfiguration.ClientTLS(
            authorities: item.text("tls.ca"), certificate: item.text("tls.certificate"),
            key: item.text("tls.key"), acceptsAnyCertificate: item.isOn("tls.insecure"))
        if (tls.certificate == nil) != (tls.key == nil) {
            let name = tls.key == nil ? "tls.certificate" : "tls.key"
            throw item.problem(
                name, "is set alone", suggestion: "set both tls.certificate and tls.key")
        }
    }
}

extension ExporterConfiguration.Retry {
    fileprivate init(_ item: SettingReader) throws(SettingProblem) {
        initial = item.duration("retry.initial")
        longest = item.duration("retry.max")
        longestAsked = item.duration("retry.max_asked")
        total = item.duration(ifAny: "retry.max_elapsed")
        if initial == .zero {
            throw item.problem("retry.initial", "is 0", suggestion: "use a longer time")
        }
        if longest < initial {
            throw item.problem(
                "retry.max", "is shorter than retry.initial", suggestion: "use a longer time")
        }
    }
}
