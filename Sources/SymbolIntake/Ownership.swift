// Who owns a stored debug file, and who may use it.
//
// An image has no owner; its files do. Each file belongs to whom its bytes were uploaded for:
//
// * An upload for an app, which is the app of its token or else the one that the request names,
//   belongs to that app. One without an app belongs to everyone.
// * Each owner has one file for an image and an architecture. A better one takes its place, and any
//   other one when the owner asks for that. The files of other owners stay beside it, untouched.
// * Two apps that upload the same bytes own them both. The blob and the index are shared, and go with
//   the last owner.
// * A token that is bound to an app uses the files of that app and those of everyone. Any other
//   image looks to it as if nothing were stored. A token without an app uses everything.
// * Of several files an app's own comes first, then that of everyone, then those of other apps.
//
// A build that lists an image does not make its app an owner.

/// Who a stored debug file belongs to.
public enum SymbolOwner: Hashable, Sendable {
    /// The app that it was uploaded for.
    case app(String)
    /// All apps: it was uploaded for none in particular.
    case everyone

    public init(app: String?) { self = app.map(Self.app) ?? .everyone }

    /// The app's identifier, or `nil` for ``everyone``.
    public var app: String? {
        if case .app(let app) = self { app } else { nil }
    }
}

/// Which stored debug files may be used, and which of them are preferred.
public struct SymbolAccess: Hashable, Sendable {
    /// The only app whose files may be used besides those of everyone, or `nil` for all apps.
    public let boundApp: String?
    /// The app whose files come first.
    private let preferredApp: String?

    /// The files of all owners.
    public static let everything = everything(preferring: nil)

    /// The files of all owners, those of `app` first.
    public static func everything(preferring app: String?) -> Self {
        Self(boundApp: nil, preferredApp: app)
    }

    /// The files of an app and those of everyone.
    public static func only(_ app: String) -> Self { Self(boundApp: app, preferredApp: app) }

    /// Whether the files of an owner may be used.
    public func includes(_ owner: SymbolOwner) -> Bool {
        boundApp == nil || owner == .everyone || owner == preferredOwner
    }

    /// The file that answers for an image.
    ///
    /// The owner decides before the quality, so no upload of another owner takes the place of an app's
    /// own file.
    /// Two architectures with one identity are rare; the one that knows most answers.
    ///
    /// - Returns: `nil` if none may be used.
    public func choice(among files: [StoredDebugFile]) -> StoredDebugFile? {
        files.filter { includes($0.owner) }.min { left, right in
            let ranks = (rank(of: left.owner), rank(of: right.owner))
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            if left.isBetter(than: right) { return true }
            if right.isBetter(than: left) { return false }
            return (left.upload, left.architecture, left.blob)
                < (right.upload, right.architecture, right.blob)
        }
    }

    var preferredOwner: SymbolOwner { SymbolOwner(app: preferredApp) }

    private func rank(of owner: SymbolOwner) -> Int {
        if owner == preferredOwner { return 0 }
        return owner == .everyone ? 1 : 2
    }
}
