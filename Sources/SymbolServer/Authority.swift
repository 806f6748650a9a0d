/// A host with its port: `localhost:4318`, `[::1]`, `symbols.example.com`.
struct Authority: Hashable, Sendable {
    let host: HostName
    /// `nil` for the scheme's own.
    let port: Int?

    /// Returns `nil` if the text is not one host with at most a port (RFC 3986, section 3.2), which
    /// includes lists of hosts and names of users.
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

    /// Whether both lead to the same port of the same host.
    ///
    /// - Parameter defaultPort: The port of the scheme by which they are compared.
    func isSame(as other: Self, defaultPort: Int) -> Bool {
        host == other.host && (port ?? defaultPort) == (other.port ?? defaultPort)
    }
}
