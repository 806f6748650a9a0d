import Foundation

/// The names of exporters without a configured name: their normalised URLs or paths, so that a
/// trailing slash or an explicit default port does not change the name.
enum DefaultExporterName {
    static func ofURL(_ text: String, isGRPC: Bool) -> String {
        guard var url = URLComponents(string: text), let scheme = url.scheme?.lowercased() else {
            return text
        }
        url.scheme = scheme
        url.host = url.host?.lowercased()
        let standard = scheme == "https" ? 443 : 80
        if isGRPC {
            url.port = url.port ?? 4_317
        } else if url.port == standard {
            url.port = nil
        }
        url.percentEncodedPath = withoutLastSlashes(url.percentEncodedPath)
        return url.string ?? text
    }

    static func ofPath(_ text: String) -> String {
        let parts = text.split(separator: "/").filter { $0 != "." }
        return (text.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    private static func withoutLastSlashes(_ path: String) -> String {
        var path = path
        while path.last == "/" { path.removeLast() }
        return path
    }
}

extension ExporterConfiguration {
    /// The name used if none is configured.
    var defaultName: String {
        switch destination {
        case .otlpHTTP(let server): Self.defaultName(server, isGRPC: false)
        case .otlpGRPC(let server): Self.defaultName(server, isGRPC: true)
        case .kafka(let kafka, _, _): "kafka:\(kafka.brokers)"
        case .file(let path, _): DefaultExporterName.ofPath(path)
        case .standardOutput: "stdout"
        }
    }

    private static func defaultName(_ server: OTLPServer, isGRPC: Bool) -> String {
        let urls = [server.url, server.logsURL, server.tracesURL, server.metricsURL]
        return urls.compactMap { $0 }.first.map { DefaultExporterName.ofURL($0, isGRPC: isGRPC) }
            ?? ""
    }

    /// Whether a name is another spelling of this exporter's default name. An earlier configuration
    /// may have used it.
    public func hasDefaultName(_ name: String) -> Bool {
        switch destination {
        case .otlpHTTP: DefaultExporterName.ofURL(name, isGRPC: false) == defaultName
        case .otlpGRPC: DefaultExporterName.ofURL(name, isGRPC: true) == defaultName
        case .file: DefaultExporterName.ofPath(name) == defaultName
        case .kafka, .standardOutput: name == defaultName
        }
    }
}
