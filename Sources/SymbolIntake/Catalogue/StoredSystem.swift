public import CallStacks

/// A system with stored images.
public struct StoredSystem: Hashable, Sendable {
    public var system: SystemBuild
    public var imageCount: Int
    /// The stored size of the images, which may also belong to other systems.
    public var storedByteCount: Int64

    public init(system: SystemBuild, imageCount: Int, storedByteCount: Int64) {
        self.system = system
        self.imageCount = imageCount
        self.storedByteCount = storedByteCount
    }
}
