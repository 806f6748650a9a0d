public import CallStacks
import JSONText

/// The JSON of one looked-up offset, for one line of output:
/// `{"uuid", "offset", "frames": [FRAME…], "status"}`, frames innermost first.
public struct LookupJSON: Sendable {
    private let image: ImageID
    private let offset: ImageOffset

    public init(_ image: ImageID, _ offset: ImageOffset) {
        self.image = image
        self.offset = offset
    }

    /// A `FRAME` has the keys that ``StackJSON`` gives it.
    public func text(frames: [SymbolicatedFrame], status: FrameStatus) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("uuid", image.description)
        writer.member("offset", offset.rawValue)
        writer.array("frames", frames) { $0.frame($1) }
        writer.member("status", status.rawValue)
        writer.endObject()
        return writer.text
    }
}
