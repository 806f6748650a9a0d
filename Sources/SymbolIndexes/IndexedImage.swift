public import CallStacks

/// The image that an index describes.
public struct IndexedImage: Hashable, Sendable {
    /// The kind of an identity.
    public enum IdentityKind: UInt8, Sendable {
        case uuid = 1
        case buildID = 2
    }

    /// The maximum number of ``segments``. Linkers write four or five.
    static let segmentLimit = 6

    public var id: ImageID
    public var identityKind: IdentityKind
    public var architecture: Architecture
    /// The link address of offset 0.
    public var base: LinkAddress
    /// The platform's number in `LC_BUILD_VERSION`, or 0 if unknown.
    public var platform: UInt32
    /// The loaded segments of an ELF file with code; empty for Mach-O, or if there are more than
    /// ``segmentLimit``.
    public let segments: [ImagePlacement.Segment]
    /// The size of the text from the base to the end of the last segment with code, in bytes, or 0
    /// if it is unknown.
    public var textSize: UInt64

    public init(
        id: ImageID, identityKind: IdentityKind, architecture: Architecture, base: LinkAddress,
        platform: UInt32 = 0, segments: [ImagePlacement.Segment] = [],
        textSize: UInt64 = 0
    ) {
        self.id = id
        self.identityKind = identityKind
        self.architecture = architecture
        self.base = base
        self.platform = platform
        self.textSize = textSize
        self.segments = segments.count > Self.segmentLimit ? [] : segments
    }
}
