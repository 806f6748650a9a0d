import Foundation
import ServerConfiguration

/// The description of an exporter in the log: its name, type and destination, without anything that
/// could be a key.
struct ExporterSummary {
    let name: String
    let type: String
    let target: String

    init(_ export: ExporterConfiguration) {
        name = Self.shown(export.name)
        switch export.destination {
        case .otlpHTTP(let server): (type, target) = ("otlp_http", Self.target(server))
        case .otlpGRPC(let server): (type, target) = ("otlp_grpc", Self.target(server))
        case .kafka(let kafka, _, _): (type, target) = ("kafka", kafka.brokers)
        case .file(let path, _): (type, target) = ("file", path)
        case .standardOutput: (type, target) = ("stdout", "standard output")
        }
    }

    private static func target(_ server: ExporterConfiguration.OTLPServer) -> String {
        [server.url, server.logsURL, server.tracesURL, server.metricsURL].compactMap { $0 }
            .map(shown).joined(separator: " ")
    }

    /// Returns a URL without the parts that may contain keys: query, fragment, user and password.
    /// Other text is returned unchanged. An exporter's name may be a URL too.
    private static func shown(_ address: String) -> String {
        guard var url = URLComponents(string: address), url.host != nil else { return address }
        url.query = nil
        url.fragment = nil
        url.user = nil
        url.password = nil
        return url.string ?? address
    }
}
