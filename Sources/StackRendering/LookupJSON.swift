public import CallStacks
public import JSONText

/// The JSON of looked-up offsets, for a line of output each:
/// `{"uuid", "offset", "frames": [FRAME…], "status"}`, frames innermost first.
///
/// A `FRAME` has the keys that ``StackJSON`` gives it. What names and files make of it is written
/// once, however many frames have them, and so is what all frames of an image begin with.
public struct LookupJSON: Sendable {
    private var texts: FrameTexts
    /// What texts are written with before they are kept.
    private var scratch = JSONWriter()
    /// The image of the last answer.
    private var image: (id: ImageID, text: String)?

    public init() { texts = FrameTexts(&scratch) }

    /// Takes the names and files that are new among those of whoever answers. An answer's have to be
    /// known before it is written.
    public mutating func learn(names: [FunctionName], files: [SourceFile]) {
        texts.learn(names: names, files: files, &scratch)
    }

    /// - Parameter name: What the frames call the image.
    public mutating func write(
        _ answer: ExactAnswer, named name: String?, to writer: inout JSONWriter
    ) {
        if image?.id != answer.image {
            image = (answer.image, answer.image.description)
            texts.setImage(answer.image, named: name, &scratch)
        }
        writer.beginObject()
        writer.member("uuid", image?.text)
        writer.member("offset", answer.offset.rawValue)
        writer.key("frames")
        writer.beginArray()
        for function in answer.functions {
            writer.frame(
                AnsweredRow(
                    function: function, offset: answer.offset,
                    functionDistance: answer.distance(in: function), texts: texts))
        }
        writer.endArray()
        writer.member("status", answer.status.rawValue)
        writer.endObject()
    }

    /// Answers a question that could not be read.
    ///
    /// - Parameter image: What it says for an image.
    public func write(
        unreadable image: String, _ status: FrameStatus, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("uuid", image)
        writer.member("offset", nil as UInt64?)
        writer.array("frames", EmptyCollection<Never>()) { _, _ in }
        writer.member("status", status.rawValue)
        writer.endObject()
    }
}
