public import CallStacks

/// The image that an index describes.
public struct IndexedImage: Hashable, Sendable {
    /// Where an identity comes from.
    public enum IdentityKind: UInt8, Sendable {
        case uuid = 1
        case buildID = 2
    }

    public var id: ImageID
    public var identityKind: IdentityKind
    public var architecture: Architecture
    /// The link address from which every offset of the index counts.
    public var base: LinkAddress
    /// The number that `LC_BUILD_VERSION` gives the platform; 0 if unknown.
    public var platform: UInt32

    public init(
        id: ImageID, identityKind: IdentityKind, architecture: Architecture, base: LinkAddress,
        platform: UInt32 = 0
    ) {
        self.id = id
        self.identityKind = identityKind
        self.architecture = architecture
        self.base = base
        self.platform = platform
    }
}
