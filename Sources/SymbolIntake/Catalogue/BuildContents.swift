public import CallStacks

/// An image that belongs to a build.
public struct BuildImage: Hashable, Sendable {
    public var image: ImageID
    public var architecture: String
    public var name: String

    public init(image: ImageID, architecture: String, name: String) {
        self.image = image
        self.architecture = architecture
        self.name = name
    }
}

/// The selection of a list of builds. `nil` does not restrict it.
public struct BuildQuery: Hashable, Sendable {
    public var app: String?
    /// An image that the builds contain.
    public var image: ImageID?
    /// The builds to choose from.
    public var builds: [Build]?
    /// Whether ``BuildContents/images`` are read, which takes most of the time.
    public var includesImages = true

    public init(app: String? = nil) { self.app = app }
}

/// The images of a build and the times of its uploads.
public struct BuildContents: Sendable {
    public var build: Build
    /// The commit named by the latest upload that named one, or `nil` if none did.
    public var commit: SourceCommit?
    public var firstUpload: UnixTime
    public var lastUpload: UnixTime
    /// Each image with the debug file used for the app, or `nil` if neither the app nor an upload
    /// for all apps has one. A file that is the only one of its image is read without its
    /// completeness, which takes longer than the rest.
    public var images: [(image: BuildImage, file: StoredDebugFile?)]

    public init(
        build: Build, commit: SourceCommit? = nil, firstUpload: UnixTime, lastUpload: UnixTime,
        images: [(image: BuildImage, file: StoredDebugFile?)]
    ) {
        self.build = build
        self.commit = commit
        self.firstUpload = firstUpload
        self.lastUpload = lastUpload
        self.images = images
    }
}
