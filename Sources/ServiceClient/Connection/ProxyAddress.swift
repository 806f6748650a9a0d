import AsyncHTTPClient
import Foundation

/// The HTTP proxy that the environment configures for a URL. As in other clients, it is
/// `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY`, preferably in lower case, with exceptions in
/// `NO_PROXY`.
struct ProxyAddress: Hashable, Sendable {
    var host: String
    var port: Int
    /// The credentials, if the proxy needs them. Never part of a message.
    var user: String?
    var password: String?

    /// - Parameter url: The URL of the server to reach.
    /// - Returns: `nil` if no proxy is configured, or if it is not an HTTP proxy.
    init?(for url: String, environment: [String: String]) {
        guard let target = URLComponents(string: url), let scheme = target.scheme?.lowercased(),
            let targetHost = target.host?.lowercased(),
            !Self.isExempt(targetHost, list: Self.value("no_proxy", environment) ?? ""),
            let text = Self.value("\(scheme)_proxy", environment)
                ?? Self.value("all_proxy", environment)
        else { return nil }
        let parts = URLComponents(string: text.contains("://") ? text : "http://\(text)")
        guard let parts, parts.scheme?.lowercased() == "http", let host = parts.host, !host.isEmpty
        else { return nil }
        self.host = host
        port = parts.port ?? Self.usualPort
        user = parts.user
        password = parts.password
    }

    /// The default port of HTTP.
    private static let usualPort = 80

    var configuration: HTTPClient.Configuration.Proxy {
        let login = user.map {
            HTTPClient.Authorization.basic(username: $0, password: password ?? "")
        }
        return login.map { .server(host: host, port: port, authorization: $0) }
            ?? .server(host: host, port: port)
    }

    private static func value(_ name: String, _ environment: [String: String]) -> String? {
        let value = environment[name] ?? environment[name.uppercased()]
        return value?.isEmpty == false ? value : nil
    }

    /// Whether a host, or a domain above it, is in a list such as `localhost,.example.com`.
    private static func isExempt(_ host: String, list: String) -> Bool {
        list.split(whereSeparator: { $0 == "," || $0.isWhitespace }).contains { entry in
            let name = entry.lowercased().drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}
