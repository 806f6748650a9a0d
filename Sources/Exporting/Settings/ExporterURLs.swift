import Foundation
import Ingest

/// The URLs of an exporter's settings, validated and completed.
struct ExporterURLs {
    let validator: ExporterSettingsValidator

    /// Returns the URL for each signal of OTLP/HTTP.
    func signalURLs() throws(ExporterSettingsError) -> SignalTable<String> {
        SignalTable(
            logs: try url(for: .logs), traces: try url(for: .traces),
            metrics: try url(for: .metrics))
    }

    /// Returns the scheme, host and port of OTLP/gRPC.
    func target() throws(ExporterSettingsError) -> (isSecure: Bool, host: String, port: Int) {
        let url = try components(try required(), field: "url")
        guard let host = url.host, url.path.isEmpty || url.path == "/", url.query == nil else {
            throw validator.error(
                "url", detail: "has more than a host and a port",
                suggestion: "gRPC needs nothing else")
        }
        let isSecure = url.scheme?.lowercased() == "https"
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return (isSecure, bare, url.port ?? 4317)
    }

    private func url(for signal: Signal) throws(ExporterSettingsError) -> String {
        guard let url = validator.settings.signalURLs[signal] else { return try baseURL(signal) }
        _ = try components(url, field: "\(signal)_url")
        return url
    }

    private func baseURL(_ signal: Signal) throws(ExporterSettingsError) -> String {
        var url = try components(try required(), field: "url")
        // As given, because `%2F` is not a separator.
        let path = url.percentEncodedPath
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        if let known = Signal.allCases.first(where: { base.hasSuffix("/v1/\($0)") }) {
            throw validator.error(
                "url", detail: "ends in '/v1/\(known)'",
                suggestion: "remove that, or use \(known)_url")
        }
        url.percentEncodedPath = base + "/v1/\(signal)"
        guard let text = url.string else { throw validator.error("url", detail: "is not a URL") }
        return text
    }

    private func required() throws(ExporterSettingsError) -> String {
        guard let url = validator.settings.url else {
            throw validator.error(
                "url", detail: "is missing",
                suggestion: "use http://HOST:PORT or https://HOST:PORT")
        }
        return url
    }

    private func components(
        _ text: String, field: String
    ) throws(ExporterSettingsError) -> URLComponents {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
        else {
            throw validator.error(
                field, detail: "is not a URL", suggestion: "use http://HOST:PORT or https://…")
        }
        guard url.user == nil, url.password == nil else {
            throw validator.error(
                field, detail: "holds a user or a password", suggestion: "use headers.authorization"
            )
        }
        guard url.fragment == nil, url.port.map({ (1...65_535).contains($0) }) ?? true else {
            throw validator.error(field, detail: "has a fragment, or a port that is not 1 to 65535")
        }
        return url
    }
}
