/// An image in a report's list, whether or not it contains a frame.
public struct ListedImage: Hashable, Sendable {
    /// The identity, or `nil` if the report has none or only zeros.
    public var id: ImageID?
    /// The last component of its path, or the report's name for it.
    public var name: String?
    public var path: String?
    /// The name of the architecture, such as `arm64e`.
    public var architecture: String?
    /// Its load address.
    public var base: RuntimeAddress?
    /// The size in bytes, or `nil` if the report does not contain it.
    public var size: UInt64?
    /// `6.9`
    public var version: String?

    public init(
        id: ImageID? = nil, name: String? = nil, path: String? = nil, architecture: String? = nil,
        base: RuntimeAddress? = nil, size: UInt64? = nil, version: String? = nil
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.architecture = architecture
        self.base = base
        self.size = size
        self.version = version
    }
}
