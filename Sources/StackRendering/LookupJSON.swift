public import CallStacks
public import JSONText

/// The JSON of looked-up offsets, for a line of output each:
/// `{"uuid", "offset", "frames": [FRAME…], "status"}`, frames innermost first.
///
/// A `FRAME` has the keys that ``StackJSON`` gives it. What names and files make of it is written
/// once, however many frames have them, and so is what all frames of an image begin with.
///
/// Programs that make rows of the answers need more. For them an offset behind the end of the code
/// has `outside_code`, true, and a frame two more keys where they say something: `call_offset`, the
/// distance from the start of the uninterrupted code of an inlined call, and `unwritten_file`, true
/// for code in a file that nobody wrote.
public struct LookupJSON: Sendable {
    private let tellsAll: Bool
    private var texts: FrameTexts
    /// What texts are written with before they are kept.
    private var scratch = JSONWriter()
    /// The image of the last answer.
    private var image: (id: ImageID, text: String)?

    /// - Parameter tellsAll: Whether the keys for programs that make rows are written.
    public init(tellsAll: Bool = false) {
        self.tellsAll = tellsAll
        texts = FrameTexts(&scratch)
    }

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
            writer.beginObject()
            writer.members(
                of: AnsweredRow(
                    function: function, offset: answer.offset,
                    functionDistance: answer.distance(in: function), texts: texts))
            if tellsAll { writer.rest(of: function, at: answer.offset) }
            writer.endObject()
        }
        writer.endArray()
        writer.member("status", answer.status.rawValue)
        if tellsAll, answer.isOutsideCode { writer.member("outside_code", true) }
        writer.endObject()
    }

    /// Writes the offsets of one image: `{"uuid", "name", "arch", "base", "status", "answers": […]}`.
    ///
    /// - Parameters:
    ///   - name: What the frames call the image.
    ///   - limit: Of the bytes in `writer`. Where it is passed, the answers that follow are left out.
    public mutating func write(
        _ lookup: ImageLookup, named name: String?, to writer: inout JSONWriter, limit: Int
    ) {
        writer.beginObject()
        writer.member("uuid", lookup.image.description)
        writer.member("name", name)
        writer.member("arch", lookup.architecture?.name)
        writer.member("base", lookup.base?.rawValue)
        writer.member("status", lookup.status.rawValue)
        writer.key("answers")
        writer.beginArray()
        for answer in lookup.answers where writer.bytes.count <= limit {
            write(answer, named: name, to: &writer)
        }
        writer.endArray()
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

extension JSONWriter {
    fileprivate mutating func rest(of function: AnsweredFunction, at offset: ImageOffset) {
        if let start = function.callStart, function.isInlined, offset >= start {
            member("call_offset", offset.rawValue - start.rawValue)
        }
        if function.hasUnwrittenFile { member("unwritten_file", true) }
    }
}
