/// The status of one image of a diagnostic.
public struct ImageStatus: Hashable, Sendable {
    /// The kind of symbols that were found for an image.
    public enum State: String, Hashable, Sendable {
        /// Debug information.
        case found
        /// Only a symbol table.
        case noDebugInfo = "no_debug_info"
        case missing = "missing_image"
        case corrupt = "corrupt_index"
        /// The diagnostic has no UUID for it.
        case unidentified = "unknown_image"
    }

    public var image: ImageID?
    public var name: String?
    /// The name of the architecture: that of the symbols, or else of the image or the process in the
    /// report.
    public var architecture: String?
    public var status: State
    /// The number of physical frames in it.
    public var frameCount: Int
    /// Whether the image belongs to one of Apple's systems, according to its symbols.
    public var isOfSystem = false
    /// Whether a build lists the image as the app's own.
    public var isInBuild = false

    public init(
        image: ImageID?, name: String?, architecture: String?, status: State, frameCount: Int
    ) {
        self.image = image
        self.name = name
        self.architecture = architecture
        self.status = status
        self.frameCount = frameCount
    }
}
