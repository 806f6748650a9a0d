/// The rules for access to the service.
public struct AccessControl: Hashable, Sendable {
    /// Whether clients need no token. Without tokens and without this, the service accepts only
    /// loopback addresses.
    public var isAnonymous: Bool
    public var tokens: [AccessToken]
}

/// A token, stored as its digest.
public struct AccessToken: Hashable, Sendable {
    public enum Scope: String, Sendable, CaseIterable {
        case ingest, upload, read
    }

    public var name: String?
    /// The SHA-256 of the token, 32 bytes.
    public var digest: [UInt8]
    public var scopes: Set<Scope>
    /// The app that the token is bound to, or `nil` for all apps.
    public var app: String?
}
