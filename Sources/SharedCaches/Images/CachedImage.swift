public import CallStacks

/// An image of a shared cache, as listed in the cache's tables.
public struct CachedImage: Hashable, Sendable {
    /// The identity, or `nil` if neither the cache nor the image has one.
    public let id: ImageID?
    /// The unslid address of the image's header.
    public let address: LinkAddress
    /// The size of its `__TEXT` segment in bytes. Its other segments are elsewhere in the cache.
    public let textSize: UInt64
    /// The install path, which never refers to a file on this system.
    public let path: String

    /// The last component of the path.
    public var name: Substring { path.split(separator: "/").last ?? path[...] }
}
