import Foundation

/// Where a server is, and the token that it knows us by.
public struct ServerAddress: Sendable, CustomStringConvertible {
    /// Without a slash at the end.
    public let url: String
    /// Never part of a message.
    let token: String?

    /// - Parameter token: White space around it is left out, as files end with a line break.
    /// - Throws: ``ServerError`` when the address cannot be used; nothing was sent.
    public init(url: String, token: String?) throws(ServerError) {
        let parts = URLComponents(string: url)
        guard let parts, ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
            parts.host?.isEmpty == false
        else {
            throw ServerError(.unusable, "'\(url)' is no address: give it as https://HOST:PORT")
        }
        guard parts.user == nil, parts.query == nil, parts.fragment == nil else {
            let shown = "\(parts.scheme ?? "")://\(parts.host ?? "")"
            throw ServerError(
                .unusable, "\(shown): has more than host, port and path: give the token apart")
        }
        self.url = String(url.reversed().drop { $0 == "/" }.reversed())
        let token = token?.trimmingCharacters(in: .whitespacesAndNewlines)
        if let token, !token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw ServerError(
                .unusable, "token: holds blanks or what is no ASCII: give it as it was made")
        }
        self.token = token.flatMap { $0.isEmpty ? nil : $0 }
    }

    public var description: String { url }

    func url(of path: String, _ query: [(name: String, value: String)]) -> String {
        let pairs = query.map { "\($0.name)=\(Self.escaped($0.value))" }
        return url + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// A text as a part of a path or the value in a query.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// RFC 3986, 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
