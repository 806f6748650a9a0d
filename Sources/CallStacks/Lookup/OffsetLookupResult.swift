/// The result of looking up one offset.
public struct OffsetLookupResult: Hashable, Sendable {
    public var image: ImageID
    public var offset: ImageOffset
    public var status: FrameStatus
    /// The functions at the offset, innermost first; empty if there are none.
    public var functions: [ResolvedFunction]
    /// The start of the last function, or of the part of it that contains the offset; `nil` if
    /// there is none.
    public var functionStart: ImageOffset?
    /// Whether the offset is past the end of the image's code.
    public var isOutsideCode = false
    /// Whether the image is one of Apple's system images. It is false for results of a remote
    /// provider.
    public var isOfSystem = false

    public init(
        _ image: ImageID, _ offset: ImageOffset, _ status: FrameStatus,
        functions: [ResolvedFunction] = [], functionStart: ImageOffset? = nil
    ) {
        self.image = image
        self.offset = offset
        self.status = status
        self.functions = functions
        self.functionStart = functionStart
    }

    /// Returns the offset's distance from the start of a function, or `nil` for an inlined call, or
    /// if a damaged index has a start after the offset.
    public func distance(in function: ResolvedFunction) -> UInt64? {
        guard !function.isInlined, let functionStart, offset >= functionStart else { return nil }
        return offset.rawValue - functionStart.rawValue
    }
}
