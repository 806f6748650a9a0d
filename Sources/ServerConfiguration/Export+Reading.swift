extension Export {
    /// Also the name of a reader of the journal.
    private static let reservedNames: Set<String> = ["worker"]

    static func all(
        _ reader: SettingReader, problems: inout [SettingProblem]
    ) -> [Export] {
        var exports: [Export] = []
        for item in reader.items(of: "export") {
            do throws(SettingProblem) {
                let export = try Export(item)
                let isTaken = exports.contains { $0.name == export.name }
                guard !isTaken, !reservedNames.contains(export.name) else {
                    throw item.problem("", "has the name '\(export.name)': give it another one")
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
                throw item.problem("", "has no path: give the file to write to")
            }
            let rotation = item.bytes(ifAny: "rotate.bytes").map { bytes in
                Rotation(bytes: bytes, keptCount: item.number("rotate.keep"))
            }
            if rotation?.bytes == 0 {
                throw item.problem("rotate.bytes", "is nothing: give more")
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

    /// A key that its type does nothing with is a mistake that would otherwise go unseen.
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
            throw item.problem(name, "means nothing to type '\(type)': leave out one of them")
        }
    }
}

extension Export.OTLPServer {
    fileprivate init(_ item: SettingReader, isGRPC: Bool) throws(SettingProblem) {
        url = item.text("url")
        logsURL = item.text("logs_url")
        tracesURL = item.text("traces_url")
        metricsURL = item.text("metrics_url")
        guard url != nil || !isGRPC && (logsURL ?? tracesURL ?? metricsURL) != nil else {
            throw item.problem("", "has no url: give one such as http://collector:4318")
        }
        headers = item.texts("headers").map { pair in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.count + 1)
            return Export.Header(name: String(name), value: Secret(String(value)))
        }
        compression = item.value("compression", Export.Compression.init(rawValue:))
        timeout = item.duration("timeout")
        if timeout == .zero {
            throw item.problem("timeout", "leaves no time for an attempt: give more")
        }
        tls = Export.ClientTLS(
            authorities: item.text("tls.ca"), certificate: item.text("tls.certificate"),
            key: item.text("tls.key"), acceptsAnyCertificate: item.isOn("tls.insecure"))
        if (tls.certificate == nil) != (tls.key == nil) {
            let name = tls.key == nil ? "tls.certificate" : "tls.key"
            throw item.problem(name, "stands alone: give both tls.certificate and tls.key")
        }
    }
}

extension Export.Retry {
    fileprivate init(_ item: SettingReader) throws(SettingProblem) {
        initial = item.duration("retry.initial")
        longest = item.duration("retry.max")
        longestAsked = item.duration("retry.max_asked")
        total = item.duration(ifAny: "retry.max_elapsed")
        if initial == .zero {
            throw item.problem("retry.initial", "leaves no pause between attempts: give more")
        }
        if longest < initial {
            throw item.problem("retry.max", "is shorter than retry.initial: give more")
        }
    }
}
