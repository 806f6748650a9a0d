public import CallStacks

/// An image that diagnostics wait for because no sufficient symbols were uploaded.
public struct MissingImage: Hashable, Sendable {
    public var image: ImageID
    public var name: String?
    public var architecture: String?
    public var isInApp: Bool
    /// Distinct versions such as `1.4.0 (217)`, the most recently seen last, and only those of the
    /// app in the query. Their number is limited.
    public var appVersions: [String]
    /// The number of diagnostics that wait for it.
    public var waitingCount: Int
    public var firstSeen: UnixTime
    public var lastSeen: UnixTime
    /// The number of frames of diagnostics that waited for it since it was added to the list.
    public var frameCount = 0
    /// The systems that it is part of, those with the most diagnostics first.
    public var systems: [MissingSystem] = []

    public init(
        image: ImageID, name: String?, architecture: String?, isInApp: Bool,
        appVersions: [String], waitingCount: Int, firstSeen: UnixTime, lastSeen: UnixTime
    ) {
        self.image = image
        self.name = name
        self.architecture = architecture
        self.isInApp = isInApp
        self.appVersions = appVersions
        self.waitingCount = waitingCount
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}
