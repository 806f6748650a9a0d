public import CallStacks

/// An image of a diagnostic without a debug file, or without a sufficient one; or an Apple system
/// image, which may lose its symbols.
public struct WantedImage: Hashable, Sendable {
    public var image: ImageID
    public var name: String?
    public var architecture: String?
    /// Whether it belongs to the app and not to the system.
    public var isInApp: Bool
    /// The number of physical frames of the diagnostic that wait for it.
    public var frameCount: Int
    /// The only app whose uploads may be used in addition to those for everyone, or `nil` for any
    /// app.
    public var app: String?
    /// The system that the image is part of, if the diagnostic states one and the image is not the
    /// app's. It is counted when the diagnostic is stored, but is not stored with it.
    public var system: SystemOrigin?
    /// Whether all symbols of the system image are stored. The diagnostic waits only if they are
    /// removed.
    public var isStored: Bool

    public init(
        image: ImageID, name: String?, architecture: String?, isInApp: Bool, frameCount: Int,
        app: String? = nil, system: SystemOrigin? = nil, isStored: Bool = false
    ) {
        self.app = app
        self.isStored = isStored
        self.system = system
        self.image = image
        self.name = name
        self.architecture = architecture
        self.isInApp = isInApp
        self.frameCount = frameCount
    }

    /// Whether the image belongs to the app according to two diagnostics. A diagnostic without the
    /// image's name cannot tell, so for that one the image counts as the app's.
    package func isInApp(or other: Self) -> Bool {
        switch (name, other.name) {
        case (nil, _?): other.isInApp
        case (_?, nil): isInApp
        default: isInApp || other.isInApp
        }
    }
}
