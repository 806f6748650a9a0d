import HTTPTypes
import Problems
import SymbolIntake

/// The sender of a request.
struct Caller: Hashable, Sendable {
    /// The name in the log.
    let name: String
    let scopes: Set<TokenScope>
    /// The only app that it may read and upload for, or `nil` for all apps.
    let app: String?

    /// The sender of every request if no tokens are configured.
    static let anonymous = Self(name: "anonymous", scopes: Set(TokenScope.allCases), app: nil)

    /// Returns the app of a query, which is the caller's own app if it is bound to one.
    ///
    /// - Throws: A ``RequestError`` of 403 if the query names another app.
    func app(requested: String?) throws -> String? {
        guard let app else { return requested }
        guard requested == nil || requested == app else {
            throw RequestError(
                .forbidden, "wrong_app",
                Problem(
                    "app '\(requested ?? "")'", detail: "the token is for '\(app)'",
                    suggestion: "use a token for this app"))
        }
        return app
    }

    /// Returns the debug files that the caller may use, with those of `app` first if it may use all
    /// apps.
    func access(preferring app: String? = nil) -> DebugFileAccess {
        self.app.map(DebugFileAccess.only) ?? .everything(preferring: app)
    }
}
