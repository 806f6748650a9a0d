import Foundation
import PercentEncoding
import Problems

/// The URL of a server, and the token for it.
public struct ServerAddress: Sendable, CustomStringConvertible {
    /// The URL, without a trailing slash.
    public let url: String
    /// The token, which is never part of a message.
    let token: String?

    /// - Parameter token: The token, trimmed of white space.
    /// - Throws: ``ServerRequestError`` if the URL or the token is invalid, before anything is sent.
    public init(url: String, token: String?) throws(ServerRequestError) {
        let parts = URLComponents(string: url)
        guard let parts, ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
            parts.host?.isEmpty == false
        else {
            throw ServerRequestError(
                .unusable,
                problem: Problem(
                    detail: "'\(url)' is not a server URL", suggestion: "use https://HOST:PORT")
            )
        }
        guard parts.user == nil, parts.query == nil, parts.fragment == nil else {
            let shown = "\(parts.scheme ?? "")://\(parts.host ?? "")"
            throw ServerRequestError(
                .unusable,
                problem: Problem(
                    shown, detail: "has more than host, port and path",
                    suggestion: "pass the token in SYMBOLIST_TOKEN"))
        }
        self.url = String(url.reversed().drop { $0 == "/" }.reversed())
        let token = token?.trimmingCharacters(in: .whitespacesAndNewlines)
        if let token, !token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw ServerRequestError(
                .unusable,
                problem: Problem(
                    "token", detail: "contains white space or characters that are not ASCII"))
        }
        self.token = token.flatMap { $0.isEmpty ? nil : $0 }
    }

    public var description: String { url }

    func url(of path: String, query: [(name: String, value: String)]) -> String {
        let pairs = query.map { "\($0.name)=\($0.value.percentEncoded())" }
        return url + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }
}
