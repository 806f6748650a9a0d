import Foundation

/// The names that exporters have where the configuration gives none: their addresses, in one spelling
/// each, so that a trailing slash or a port that goes without saying makes no other name.
enum ExportName {
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

extension Export {
    /// The name that it has where the configuration gives none.
    var defaultName: String {
        switch destination {
        case .otlpHTTP(let server): Self.defaultName(server, isGRPC: false)
        case .otlpGRPC(let server): Self.defaultName(server, isGRPC: true)
        case .file(let path, _): ExportName.ofPath(path)
        case .standardOutput: "stdout"
        }
    }

    private static func defaultName(_ server: OTLPServer, isGRPC: Bool) -> String {
        let urls = [server.url, server.logsURL, server.tracesURL, server.metricsURL]
        return urls.compactMap { $0 }.first.map { ExportName.ofURL($0, isGRPC: isGRPC) } ?? ""
    }

    /// Whether a name is the one that this exporter would have without a name of its own, in any
    /// spelling: an earlier configuration may have left it without one.
    public func hasDefaultName(_ name: String) -> Bool {
        switch destination {
        case .otlpHTTP: ExportName.ofURL(name, isGRPC: false) == defaultName
        case .otlpGRPC: ExportName.ofURL(name, isGRPC: true) == defaultName
        case .file: ExportName.ofPath(name) == defaultName
        case .standardOutput: name == defaultName
        }
    }
}
