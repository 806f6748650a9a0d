import Foundation
import ServerConfiguration

/// What the log says of an exporter: its name, its type, and where it sends to, without anything that
/// may be a key.
struct ExportSummary {
    let name: String
    let type: String
    let target: String

    init(_ export: Export) {
        name = Self.shown(export.name)
        switch export.destination {
        case .otlpHTTP(let server): (type, target) = ("otlp_http", Self.target(server))
        case .otlpGRPC(let server): (type, target) = ("otlp_grpc", Self.target(server))
        case .file(let path, _): (type, target) = ("file", path)
        case .standardOutput: (type, target) = ("stdout", "standard output")
        }
    }

    private static func target(_ server: Export.OTLPServer) -> String {
        [server.url, server.logsURL, server.tracesURL, server.metricsURL].compactMap { $0 }
            .map(shown).joined(separator: " ")
    }

    /// Without a query, in which some services take keys. A name may be an address as well.
    private static func shown(_ address: String) -> String {
        guard var url = URLComponents(string: address), url.host != nil else { return address }
        url.query = nil
        url.fragment = nil
        url.user = nil
        url.password = nil
        return url.string ?? address
    }
}
