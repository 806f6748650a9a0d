import Foundation
import Ingest

/// The addresses of an exporter's settings, checked and put together.
struct ExportURL {
    let checks: SettingsChecks

    /// The address for each signal of OTLP/HTTP.
    func signalURLs() throws(ExporterSettingsError) -> [Signal: String] {
        var urls: [Signal: String] = [:]
        for (signal, word) in Self.words {
            if let url = checks.settings.signalURLs[signal] {
                _ = try components(url, field: "\(word)_url")
                urls[signal] = url
            } else {
                urls[signal] = try baseURL(word)
            }
        }
        return urls
    }

    /// `https`, host and port of OTLP/gRPC.
    func target() throws(ExporterSettingsError) -> (isSecure: Bool, host: String, port: Int) {
        let url = try components(try required(), field: "url")
        guard let host = url.host, url.path.isEmpty || url.path == "/", url.query == nil else {
            throw checks.error("url", "has more than a host and a port: gRPC has no use for it")
        }
        let isSecure = url.scheme?.lowercased() == "https"
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return (isSecure, bare, url.port ?? 4317)
    }

    private static let words: [(Signal, String)] = [
        (.logs, "logs"), (.traces, "traces"), (.metrics, "metrics"),
    ]

    private func baseURL(_ word: String) throws(ExporterSettingsError) -> String {
        var url = try components(try required(), field: "url")
        if let (_, known) = Self.words.first(where: { url.path.hasSuffix("/v1/\($0.1)") }) {
            throw checks.error(
                "url", "ends in '/v1/\(known)': give what stands before it, or use \(known)_url")
        }
        let base = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        url.path = base + "/v1/\(word)"
        guard let text = url.string else { throw checks.error("url", "is not an address") }
        return text
    }

    private func required() throws(ExporterSettingsError) -> String {
        guard let url = checks.settings.url else {
            throw checks.error("url", "is missing: give http://HOST:PORT or https://HOST:PORT")
        }
        return url
    }

    private func components(
        _ text: String, field: String
    ) throws(ExporterSettingsError) -> URLComponents {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
        else { throw checks.error(field, "is no address: give http://HOST:PORT or https://…") }
        guard url.user == nil, url.password == nil else {
            throw checks.error(field, "holds a user or a password: use headers.authorization")
        }
        guard url.fragment == nil, url.port.map({ (1...65_535).contains($0) }) ?? true else {
            throw checks.error(field, "has a fragment, or a port that is not 1 to 65535")
        }
        return url
    }
}
