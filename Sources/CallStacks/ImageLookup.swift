/// What became of some offsets of one image that were looked up together.
public struct ImageLookup: Hashable, Sendable {
    public var image: ImageID
    public var status: ImageReport.Status
    /// `nil` where there are no symbols.
    public var architecture: Architecture?
    /// The link address from which the offsets count; `nil` where there are no symbols.
    public var base: LinkAddress?
    /// One for each offset, in their order; none where there are no symbols.
    public var answers: [ExactAnswer]

    public init(
        _ image: ImageID, _ status: ImageReport.Status, architecture: Architecture? = nil,
        base: LinkAddress? = nil, answers: [ExactAnswer] = []
    ) {
        self.image = image
        self.status = status
        self.architecture = architecture
        self.base = base
        self.answers = answers
    }
}
