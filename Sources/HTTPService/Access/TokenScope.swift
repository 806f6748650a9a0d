/// A permission that a token grants.
public enum TokenScope: String, Hashable, Sendable, CaseIterable {
    /// Sending diagnostics and other telemetry.
    case ingest
    /// Uploading, querying and deleting symbols.
    case upload
    /// Reading received diagnostics and stored symbols.
    case read
}

/// The scopes that a group of routes requires of a token.
struct TokenRequirement: Sendable {
    var scopes: Set<TokenScope>
    /// Whether all of the scopes are required, rather than any one of them.
    var needsAllScopes = false
    /// Whether tokens bound to an app are rejected, because the data of these routes is not
    /// separated by app.
    var isForAllApps = false

    static let ingest = Self(scopes: [.ingest])
    static let upload = Self(scopes: [.upload])
    static let read = Self(scopes: [.read])
    /// Both senders and readers may symbolicate a report.
    static let symbolicate = Self(scopes: [.ingest, .read])
    /// Files of any kind can be dropped, and each kind needs its own scope.
    static let drop = Self(scopes: [.ingest, .upload, .read])
    /// For data that is not separated by app: a dead letter can contain records of several apps
    /// that were sent together.
    static let readAllApps = Self(scopes: [.read], isForAllApps: true)
    /// Resending enqueues records, like `ingest`, and reports the result of each, like `read`.
    /// Tokens in shipped apps have only the first scope.
    static let resendDeadLetters = Self(
        scopes: [.ingest, .read], needsAllScopes: true, isForAllApps: true)

    func isMet(by caller: Caller) -> Bool {
        needsAllScopes
            ? caller.scopes.isSuperset(of: scopes) : !caller.scopes.isDisjoint(with: scopes)
    }
}
