/// A host with an optional port: `localhost:4318`, `[::1]`, `symbols.example.com`.
struct HostAndPort: Hashable, Sendable {
    let host: HostName
    /// The port, or `nil` for the scheme's default.
    let port: Int?

    /// Returns `nil` if the text is not a single host with at most a port (RFC 3986, section 3.2),
    /// such as a list of hosts or a host with user information.
    init?(_ text: some StringProtocol) {
        let end =
            text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : nil
        let colon = text[(end ?? text.startIndex)...].firstIndex(of: ":") ?? text.endIndex
        guard end == nil || end == colon, let host = HostName(text[..<colon]) else { return nil }
        let digits = text[colon...].dropFirst()
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard digits.isEmpty || UInt16(digits) != nil else { return nil }
        self.host = host
        port = Int(digits)
    }

    /// The host and port as in a URL.
    var text: String {
        let name = host.text.contains(":") ? "[\(host.text)]" : host.text
        return port.map { "\(name):\($0)" } ?? name
    }

    /// Whether both name the same port of the same host.
    ///
    /// - Parameter defaultPort: The port of the scheme, used for a missing port.
    func isSame(as other: Self, defaultPort: Int) -> Bool {
        host == other.host && (port ?? defaultPort) == (other.port ?? defaultPort)
    }
}
