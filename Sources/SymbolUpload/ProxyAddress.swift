import AsyncHTTPClient
import Foundation

/// The proxy that the environment names for an address, as other clients read it: `HTTPS_PROXY`,
/// `HTTP_PROXY` or `ALL_PROXY`, in lower case first, and `NO_PROXY` with the hosts that need none.
struct ProxyAddress: Hashable, Sendable {
    var host: String
    var port: Int
    /// Name and password, if the proxy wants them. Never part of a message.
    var user: String?
    var password: String?

    /// - Parameter url: Of the server that is to be reached.
    /// - Returns: `nil` where none is named, or what is named is not one of HTTP.
    init?(for url: String, environment: [String: String]) {
        guard let target = URLComponents(string: url), let scheme = target.scheme?.lowercased(),
            let targetHost = target.host?.lowercased(),
            !Self.isExempt(targetHost, Self.value("no_proxy", environment) ?? ""),
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

    /// That of HTTP.
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

    /// Whether a host is one of a list such as `localhost,.example.com`, or below one.
    private static func isExempt(_ host: String, _ list: String) -> Bool {
        list.split(whereSeparator: { $0 == "," || $0.isWhitespace }).contains { entry in
            let name = entry.lowercased().drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}
