/// The limits on reading one upload. Beyond a limit, the part read before is used, with the remark
/// `depth_limit`, `frame_limit` or `size_limit`.
public struct PayloadLimits: Hashable, Sendable {
    /// The maximum size of an upload, after decompression.
    public var bytes = 64 << 20
    /// The maximum size of an attribute of a log record.
    public var attributeBytes = 16 << 20
    public var elements = 1_000
    public var logRecords = 100_000
    /// The maximum nesting of frames in a stack.
    public var nestedFrames = 16_384
    /// The maximum number of frames in a tree, and of inlined calls that are separate objects.
    public var framesPerTree = 200_000
    public var stacksPerTree = 4_096
    public var imagesPerTree = 4_096
    /// The maximum length of a binary's name, in characters.
    public var nameLength = 1_024

    public init() {}
}
