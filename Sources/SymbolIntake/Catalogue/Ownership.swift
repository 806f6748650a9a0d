// Ownership of stored debug files, and the rules for using them.
//
// An image has no owner; its files do. The owner of a file is decided by its upload:
// * An upload for an app, which is the app of its token or else the one named in the request,
//   belongs to that app. An upload without an app belongs to everyone. Images of Apple's systems are
//   accepted for everyone only, unless they come with the build of an app.
// * Each owner has one file for an image and an architecture. A better one replaces it, and so does
//   any other if the owner asks for that. The files of other owners do not change. An ELF debug
//   file without code keeps one executable beside it, see `StoredExecutable`.
// * Two apps that upload the same bytes both own them. They share the blob and the index, which are
//   removed with the last owner.
// * A token bound to an app uses the files of that app and those of everyone. For such a token, no
//   other image has symbols. A token without an app uses everything.
// * Among several files an app's own is preferred, then that of everyone, then those of other apps.
//
// A build that lists an image does not make its app an owner.

/// The owner of a stored debug file.
public enum SymbolOwner: Hashable, Sendable {
    /// The app that the file was uploaded for.
    case app(String)
    /// All apps: the upload was not for an app.
    case everyone

    public init(app: String?) { self = app.map(Self.app) ?? .everyone }

    /// The app's identifier, or `nil` for ``everyone``.
    public var app: String? {
        if case .app(let app) = self { app } else { nil }
    }
}

/// The stored debug files that may be used, and the preference among them.
public struct DebugFileAccess: Hashable, Sendable {
    /// The only app whose files may be used in addition to those of everyone, or `nil` for all
    /// apps.
    public let boundApp: String?
    /// The app whose files are preferred.
    private let preferredApp: String?

    /// The files of all owners.
    public static let everything = everything(preferring: nil)

    /// Returns the files of all owners, preferring those of `app`.
    public static func everything(preferring app: String?) -> Self {
        Self(boundApp: nil, preferredApp: app)
    }

    /// Returns the files of an app and those of everyone.
    public static func only(_ app: String) -> Self { Self(boundApp: app, preferredApp: app) }

    /// Whether the files of an owner may be used.
    public func includes(_ owner: SymbolOwner) -> Bool {
        boundApp == nil || owner == .everyone || owner == preferredOwner
    }

    /// Returns the file to use for an image.
    ///
    /// The owner takes precedence over the quality, so another owner's upload never replaces an
    /// app's own file. Two architectures rarely have the same identity; in that case the file with
    /// the most information is used.
    ///
    /// - Returns: The file, or `nil` if none may be used.
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
