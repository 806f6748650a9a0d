/// What became of one offset that was looked up by itself.
public struct ExactAnswer: Hashable, Sendable {
    public var image: ImageID
    public var offset: ImageOffset
    public var status: FrameStatus
    /// Innermost first; empty where there is none.
    public var functions: [AnsweredFunction]
    /// Where the last function starts, or the piece of it that holds the offset; `nil` where there is
    /// none.
    public var functionStart: ImageOffset?
    /// Whether the offset lies behind the end of the image's code.
    public var isOutsideCode = false

    public init(
        _ image: ImageID, _ offset: ImageOffset, _ status: FrameStatus,
        functions: [AnsweredFunction] = [], functionStart: ImageOffset? = nil
    ) {
        self.image = image
        self.offset = offset
        self.status = status
        self.functions = functions
        self.functionStart = functionStart
    }

    /// How far the offset lies behind the start of a function; `nil` for a call that was inlined,
    /// which has no start of its own, and for the start that a damaged index gives behind the offset.
    public func distance(in function: AnsweredFunction) -> UInt64? {
        guard !function.isInlined, let functionStart, offset >= functionStart else { return nil }
        return offset.rawValue - functionStart.rawValue
    }
}
