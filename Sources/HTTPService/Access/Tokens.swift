import Crypto
import HTTPTypes
import HexadecimalDigits
import Problems
import Synchronization

/// The configured tokens, by their SHA-256. So no token stays in memory, and the time of a lookup
/// reveals nothing about the tokens.
///
/// They can be replaced while the service runs.
public final class Tokens: Sendable {
    /// The name of a caller without a token, or with an unknown one.
    static let unknownName = "unknown"

    /// A token with the permissions that it grants.
    public struct Grant: Sendable {
        /// The digest of the token's UTF-8.
        public let sha256: [UInt8]
        public let scopes: Set<TokenScope>
        public let app: String?
        /// The name of the token in the log.
        public let name: String

        public init(
            sha256: [UInt8], scopes: Set<TokenScope>, app: String?, name: String
        ) {
            self.sha256 = sha256
            self.name = name
            self.scopes = scopes
            self.app = app
        }
    }

    private struct State {
        var callers: [[UInt8]: Caller]
        /// The callers by the names of their grants.
        var grants: [String: Caller]
        var boundApps: Set<String>
    }

    private let state: Mutex<State>

    public init(_ grants: [Grant]) {
        var callers: [[UInt8]: Caller] = [:]
        for grant in grants {
            callers[grant.sha256] = Caller(
                name: grant.name, scopes: grant.scopes, app: grant.app)
        }
        let names = callers.map { (Self.grantName($0.key), $0.value) }
        state = Mutex(
            State(
                callers: callers, grants: Dictionary(names) { first, _ in first },
                boundApps: Set(grants.compactMap(\.app))))
    }

    /// Replaces these tokens with those of another configuration.
    public func replace(with other: Tokens) {
        let new = other.state.withLock { $0 }
        state.withLock { $0 = new }
    }

    /// Whether there are no tokens, so that requests need none.
    var isEmpty: Bool { state.withLock { $0.callers.isEmpty } }

    /// Whether any token is bound to the app.
    public func areBound(to app: String) -> Bool {
        state.withLock { $0.boundApps.contains(app) }
    }

    /// Returns the caller of a request with the given `Authorization` header.
    ///
    /// - Throws: A ``RequestError`` of 401, or of 403 if the token does not meet the requirement.
    func caller(authorization: String?, meeting requirement: TokenRequirement) throws -> Caller {
        let callers = state.withLock { $0.callers }
        guard !callers.isEmpty else { return .anonymous }
        guard let authorization, let token = Self.bearer(authorization) else {
            throw RequestError(
                .unauthorized, "token_missing",
                Problem(
                    "authorization", detail: "no bearer token",
                    suggestion: "send 'Authorization: Bearer TOKEN'"))
        }
        guard let caller = callers[Self.digest(token)] else {
            throw RequestError(
                .unauthorized, "token_unknown",
                Problem(
                    "authorization", detail: "unknown token", suggestion: "ask the operator for one"
                ))
        }
        try check(caller, meets: requirement)
        return caller
    }

    /// Returns the caller who signed in with a token.
    ///
    /// - Parameter grant: The name of the grant, from ``grant(of:)``.
    /// - Throws: A ``RequestError`` of 401 if the token was removed, or of 403 if it does not meet
    ///   the requirement.
    func caller(signedInWith grant: String, meeting requirement: TokenRequirement) throws -> Caller
    {
        guard let caller = state.withLock({ $0.grants[grant] }) else {
            throw RequestError(
                .unauthorized, "token_unknown",
                Problem("sign-in", detail: "the token was removed", suggestion: "sign in again"))
        }
        try check(caller, meets: requirement)
        return caller
    }

    /// Returns the name of the token that a user signed in with, or `nil` if it was removed.
    ///
    /// - Parameter grant: The name of the grant, from ``grant(of:)``.
    func name(signedInWith grant: String) -> String? {
        state.withLock { $0.grants[grant]?.name }
    }

    /// Returns the name of a token's grant, which reveals nothing about the token, or `nil` if the
    /// token is unknown.
    func grant(of token: String) -> String? {
        let digest = Self.digest(token)
        return state.withLock { $0.callers[digest] } == nil ? nil : Self.grantName(digest)
    }

    /// Returns the first half of a digest, in hexadecimal digits.
    private static func grantName(_ digest: [UInt8]) -> String { digest.prefix(16).hexadecimal }

    private func check(_ caller: Caller, meets requirement: TokenRequirement) throws {
        guard requirement.isMet(by: caller) else {
            let wanted = requirement.scopes.map { "'\($0.rawValue)'" }.sorted()
                .joined(separator: requirement.needsAllScopes ? " and " : " or ")
            throw RequestError(
                .forbidden, "scope_missing",
                Problem(
                    "authorization", detail: "the token does not have scope \(wanted)",
                    suggestion: "use another token"), callerName: caller.name)
        }
        if requirement.isForAllApps, let app = caller.app {
            throw RequestError(
                .forbidden, "wrong_app",
                Problem(
                    "authorization", detail: "the token is only for '\(app)'",
                    suggestion: "use a token for all apps"), callerName: caller.name)
        }
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
