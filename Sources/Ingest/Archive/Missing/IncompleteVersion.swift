public import CallStacks

/// A version of an app whose diagnostics wait for symbols of the app's own images.
public struct IncompleteVersion: Hashable, Sendable {
    /// Empty if the diagnostics do not name it.
    public var app: String
    /// The version with its build, such as `1.4.0 (217)`.
    public var version: String
    public var imageCount: Int
    /// The number of diagnostics that wait for the most wanted of the images, in all versions.
    public var waitingCount: Int
    public var lastSeen: UnixTime

    public init(
        app: String, version: String, imageCount: Int, waitingCount: Int, lastSeen: UnixTime
    ) {
        self.app = app
        self.version = version
        self.imageCount = imageCount
        self.waitingCount = waitingCount
        self.lastSeen = lastSeen
    }
}
