/// A query for one page of the images that diagnostics wait for, those with the most diagnostics
/// first.
///
/// Diagnostics sent with a token that is bound to an app wait for that app's own upload. So an
/// image may be listed once for any upload, and once for each such app.
public struct MissingListQuery: Hashable, Sendable {
    public typealias Position = GroupQuery.Position

    public var scope: MissingQuery.Scope
    /// The app whose diagnostics wait for the images, or `nil` for all apps.
    public var app: String?
    /// The only app whose waiting diagnostics are counted and may be shown.
    public var boundApp: String?
    public var before: Position?
    /// The position at which the page ends: it contains the images right before it, and ``before``
    /// is ignored.
    public var after: Position?
    /// The maximum number of images, at least 1.
    public var limit: Int { didSet { limit = max(limit, 1) } }

    public init(
        scope: MissingQuery.Scope, app: String? = nil, boundApp: String? = nil, limit: Int = 50
    ) {
        self.scope = scope
        self.app = app
        self.boundApp = boundApp
        self.limit = max(limit, 1)
    }
}

/// An image with its position in the list.
public struct ListedMissingImage: Hashable, Sendable {
    public var position: MissingListQuery.Position
    /// The app that has to upload it, or else the app that most recently started to wait for it, or
    /// `nil` if unknown.
    public var app: String?
    /// Its versions are those of ``app``.
    public var image: MissingImage

    public init(position: MissingListQuery.Position, app: String?, image: MissingImage) {
        self.position = position
        self.app = app
        self.image = image
    }
}
