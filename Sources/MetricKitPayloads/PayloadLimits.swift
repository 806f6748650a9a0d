/// The bounds of what is read from one upload. Beyond each, what was read so far is used and the
/// remark `depth_limit`, `frame_limit` or `size_limit` is made.
public struct PayloadLimits: Hashable, Sendable {
    /// How many bytes of an upload are read, after decompression.
    public var bytes = 64 << 20
    /// How many bytes of an attribute of a log record are read.
    public var attributeBytes = 16 << 20
    /// How many payloads an upload may hold.
    public var elements = 1_000
    /// How many log records an upload may hold.
    public var logRecords = 100_000
    /// How many frames may nest in one stack.
    public var nestedFrames = 16_384
    /// How many frames a tree may have, and how many inlined calls as objects of their own.
    public var framesPerTree = 200_000
    public var stacksPerTree = 4_096
    public var imagesPerTree = 4_096
    /// How long the name of a binary may be, in characters.
    public var nameLength = 1_024

    public init() {}
}
