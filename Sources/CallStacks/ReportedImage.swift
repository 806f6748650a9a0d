/// An image as a report lists it, whether a frame lies in it or not.
public struct ReportedImage: Hashable, Sendable {
    /// `nil` where the report gives none, or one of zeros.
    public var id: ImageID?
    /// The last component of its path, or what the report calls it.
    public var name: String?
    public var path: String?
    /// The architecture by its name, such as `arm64e`.
    public var architecture: String?
    /// Where its start was mapped.
    public var base: RuntimeAddress?
    /// In bytes from ``base``; `nil` where the report does not say.
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
