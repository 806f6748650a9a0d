import Crypto
import HTTPTypes
import SymbolIntake
import Synchronization

/// What a token allows.
public enum TokenScope: String, Hashable, Sendable, CaseIterable {
    /// Sending diagnostics and other telemetry.
    case ingest
    /// Sending, asking for and deleting symbols.
    case upload
    /// Reading what was received and what is stored.
    case read
}

/// What a token needs for a group of routes.
struct TokenRequirement: Sendable {
    var scopes: Set<TokenScope>
    /// Whether all of the scopes are needed. Otherwise one of them is enough.
    var needsAllScopes = false
    /// Whether tokens that are bound to an app are refused, because what the routes are about is not
    /// kept apart by app.
    var isForAllApps = false

    static let ingest = Self(scopes: [.ingest])
    static let upload = Self(scopes: [.upload])
    static let read = Self(scopes: [.read])
    /// Reports in and answers out: both who sends and who reads may do that.
    static let symbolicate = Self(scopes: [.ingest, .read])
    /// A dead letter holds records of any apps, as they were sent together.
    static let listDeadLetters = Self(scopes: [.read], isForAllApps: true)
    /// Puts records on their way again, as `ingest` does, and tells what became of each, as `read`
    /// does. Tokens of apps in the field have only the first one.
    static let resendDeadLetters = Self(
        scopes: [.ingest, .read], needsAllScopes: true, isForAllApps: true)

    fileprivate func isMet(by caller: Caller) -> Bool {
        needsAllScopes
            ? caller.scopes.isSuperset(of: scopes) : !caller.scopes.isDisjoint(with: scopes)
    }
}

/// Who sends a request.
struct Caller: Hashable, Sendable {
    /// What the log calls it.
    let name: String
    let scopes: Set<TokenScope>
    /// The only app that it may read and upload for; `nil` for all.
    let app: String?

    /// Everybody, where no tokens are configured.
    static let anonymous = Self(name: "anonymous", scopes: Set(TokenScope.allCases), app: nil)

    /// The app that a query is about: the caller's own where it has one.
    func app(asked: String?) throws -> String? {
        guard let app else { return asked }
        guard asked == nil || asked == app else {
            throw RequestError(
                .forbidden, "wrong_app",
                "app '\(asked ?? "")': the token is for '\(app)': use a token for this app")
        }
        return app
    }

    /// The debug files that the caller may use, those of `app` first if it may use those of all apps.
    func access(preferring app: String? = nil) -> SymbolAccess {
        self.app.map(SymbolAccess.only) ?? .everything(preferring: app)
    }
}

/// The tokens of the configuration, by their SHA-256, so that no token lies in memory for long and
/// comparing takes the same time whatever was sent.
///
/// They can be replaced while the service runs.
public final class Tokens: Sendable {
    /// Who sends a request that has no token, or one that is not known.
    static let unknownName = "unknown"

    /// One token with what it allows.
    public struct Grant: Sendable {
        /// Of the token's UTF-8.
        public let sha256: [UInt8]
        public let scopes: Set<TokenScope>
        public let app: String?
        /// What the log calls the token.
        public let name: String

        public init(
            sha256: [UInt8], scopes: Set<TokenScope>, app: String?, name: String = "unnamed"
        ) {
            self.sha256 = sha256
            self.name = name
            self.scopes = scopes
            self.app = app
        }

        public init(token: String, scopes: Set<TokenScope>, app: String?) {
            self.init(sha256: Tokens.digest(token), scopes: scopes, app: app)
        }
    }

    private struct State {
        var callers: [[UInt8]: Caller]
        var boundApps: Set<String>
    }

    private let state: Mutex<State>

    public init(_ grants: [Grant]) {
        var callers: [[UInt8]: Caller] = [:]
        for grant in grants {
            callers[grant.sha256] = Caller(
                name: grant.name, scopes: grant.scopes, app: grant.app)
        }
        state = Mutex(
            State(callers: callers, boundApps: Set(grants.compactMap(\.app))))
    }

    /// Takes the tokens of another configuration in place of these.
    public func replace(with other: Tokens) {
        let new = other.state.withLock { $0 }
        state.withLock { $0 = new }
    }

    /// Whether requests need no token.
    var isEmpty: Bool { state.withLock { $0.callers.isEmpty } }

    /// Whether a token is bound to an app.
    public func areBound(to app: String) -> Bool {
        state.withLock { $0.boundApps.contains(app) }
    }

    /// Who sends a request with this `Authorization` header.
    ///
    /// - Throws: A ``RequestError`` of 401, or of 403 if the token does not meet the requirement.
    func caller(authorization: String?, meeting requirement: TokenRequirement) throws -> Caller {
        let callers = state.withLock { $0.callers }
        guard !callers.isEmpty else { return .anonymous }
        guard let authorization, let token = Self.bearer(authorization) else {
            throw RequestError(
                .unauthorized, "token_missing",
                "authorization: no bearer token: send 'Authorization: Bearer TOKEN'")
        }
        guard let caller = callers[Self.digest(token)] else {
            throw RequestError(
                .unauthorized, "token_unknown",
                "authorization: the token is not known: ask the operator for one")
        }
        guard requirement.isMet(by: caller) else {
            let wanted = requirement.scopes.map { "'\($0.rawValue)'" }.sorted()
                .joined(separator: requirement.needsAllScopes ? " and " : " or ")
            var error = RequestError(
                .forbidden, "scope_missing",
                "authorization: the token does not have scope \(wanted): use another token")
            error.callerName = caller.name
            throw error
        }
        if requirement.isForAllApps, let app = caller.app {
            var error = RequestError(
                .forbidden, "wrong_app",
                "authorization: the token is for '\(app)' alone: use a token for all apps")
            error.callerName = caller.name
            throw error
        }
        return caller
    }

    private static func bearer(_ header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    private static func digest(_ token: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(token.utf8)))
    }
}
