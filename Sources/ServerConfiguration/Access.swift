/// Who may use the service.
public struct Access: Hashable, Sendable {
    /// Whether nobody needs a token. Without tokens and without this only loopback is listened on.
    public var isAnonymous: Bool
    public var tokens: [AccessToken]
}

/// One token, of which only the digest is known.
public struct AccessToken: Hashable, Sendable {
    public enum Scope: String, Sendable, CaseIterable {
        case ingest, upload, read
    }

    public var name: String?
    /// The SHA-256 of the token: 32 bytes.
    public var digest: [UInt8]
    public var scopes: Set<Scope>
    /// `nil` for every app.
    public var app: String?
}
