public import CallStacks
public import JSONText

/// The JSON of one looked-up offset, for one line of output:
/// `{"uuid", "offset", "frames": [FRAME…], "status"}`, frames innermost first.
public struct LookupJSON: Sendable {
    private let image: String?
    private let offset: UInt64?

    public init(_ image: ImageID, _ offset: ImageOffset) {
        self.image = image.description
        self.offset = offset.rawValue
    }

    /// A question that could not be read: what it says for an image, if anything.
    public init(unreadable image: String?) {
        self.image = image
        offset = nil
    }

    /// A `FRAME` has the keys that ``StackJSON`` gives it.
    public func write(
        frames: [SymbolicatedFrame], status: FrameStatus, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("uuid", image)
        writer.member("offset", offset)
        writer.array("frames", frames) { $0.frame($1) }
        writer.member("status", status.rawValue)
        writer.endObject()
    }
}
