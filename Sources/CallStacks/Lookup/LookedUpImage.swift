/// The results of looking up several offsets of one image.
public struct LookedUpImage: Hashable, Sendable {
    public var image: ImageID
    public var status: ImageStatus.State
    /// The architecture of the symbols, or `nil` if there are none.
    public var architecture: Architecture?
    /// The link address of offset 0, or `nil` if there are no symbols.
    public var base: LinkAddress?
    /// One result per offset, in order; empty if there are no symbols.
    public var results: [OffsetLookupResult]

    public init(
        _ image: ImageID, _ status: ImageStatus.State, architecture: Architecture? = nil,
        base: LinkAddress? = nil, results: [OffsetLookupResult] = []
    ) {
        self.image = image
        self.status = status
        self.architecture = architecture
        self.base = base
        self.results = results
    }
}
