public import CallStacks

/// A list of missing images.
public struct MissingQuery: Hashable, Sendable {
    public enum Scope: String, Sendable, CaseIterable {
        case app, system
    }

    public var scope: Scope?
    /// The only image to return, or `nil` for all.
    public var image: ImageID?
    /// The app whose diagnostics wait for the images, or `nil` for all apps.
    public var app: String?
    /// The only app whose waiting diagnostics are counted and may be shown.
    public var boundApp: String?
    public var limit: Int

    public init(
        scope: Scope? = nil, app: String? = nil, boundApp: String? = nil, limit: Int = 1_000
    ) {
        self.boundApp = boundApp
        self.scope = scope
        self.app = app
        self.limit = limit
    }
}
