public import CallStacks
public import JSONText

/// The JSON of looked-up offsets, one line per offset: `{"uuid", "offset", "frames": [FRAME…],
/// "status"}`, frames innermost first.
///
/// A `FRAME` has the keys of ``StackJSON``. The members of names, files and images are encoded only
/// once, however many frames share them.
///
/// With details, which a remote symbolicator needs, an offset past the end of the code has
/// `outside_code`, true, and a frame may have two more keys: `call_offset`, the distance from the
/// start of the contiguous code of an inlined call, and `compiler_generated_file`, true for code in
/// a compiler-generated file.
public struct LookupJSON: Sendable {
    private let hasDetails: Bool
    private var texts: EncodedFrameTexts
    /// The writer that encodes names and files before they are stored.
    private var scratch = JSONWriter()
    private var image: (id: ImageID, text: String)?

    /// - Parameter hasDetails: Whether to write the keys for remote symbolicators.
    public init(hasDetails: Bool = false) {
        self.hasDetails = hasDetails
        texts = EncodedFrameTexts(&scratch)
    }

    /// Adds the names and files that are new since the last call. Call it before writing a result
    /// that refers to them.
    public mutating func learn(names: [FunctionName], files: [SourceFile]) {
        texts.learn(names: names, files: files, by: &scratch)
    }

    /// - Parameter name: The image's name in the frames.
    public mutating func write(
        _ result: OffsetLookupResult, named name: String?, to writer: inout JSONWriter
    ) {
        if image?.id != result.image {
            image = (result.image, result.image.description)
            texts.setImage(result.image, named: name, by: &scratch)
        }
        writer.beginObject()
        writer.member("uuid", image?.text)
        writer.member("offset", result.offset.rawValue)
        writer.key("frames")
        writer.beginArray()
        for function in result.functions {
            writer.beginObject()
            writer.members(
                of: LookedUpFrame(
                    function: function, offset: result.offset,
                    functionDistance: result.distance(in: function), texts: texts,
                    isInApp: !result.isOfSystem))
            if hasDetails { writer.rest(of: function, at: result.offset) }
            writer.endObject()
        }
        writer.endArray()
        writer.member("status", result.status.rawValue)
        if hasDetails, result.isOutsideCode { writer.member("outside_code", true) }
        writer.endObject()
    }

    /// Writes the results of one image:
    /// `{"uuid", "name", "arch", "base", "status", "answers": […]}`.
    ///
    /// - Parameters:
    ///   - name: The image's name in the frames.
    ///   - limit: The number of bytes in `writer` above which results are dropped.
    public mutating func write(
        _ lookup: LookedUpImage, named name: String?, to writer: inout JSONWriter, limit: Int
    ) {
        writer.beginObject()
        writer.member("uuid", lookup.image.description)
        writer.member("name", name)
        writer.member("arch", lookup.architecture?.name)
        writer.member("base", lookup.base?.rawValue)
        writer.member("status", lookup.status.rawValue)
        writer.key("answers")
        writer.beginArray()
        for result in lookup.results where writer.bytes.count <= limit {
            write(result, named: name, to: &writer)
        }
        writer.endArray()
        writer.endObject()
    }

    /// Writes the result for an invalid query.
    ///
    /// - Parameter image: The query's text for the image.
    public func write(
        unreadable image: String, status: FrameStatus, to writer: inout JSONWriter
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
    fileprivate mutating func rest(of function: ResolvedFunction, at offset: ImageOffset) {
        if let start = function.callStart, function.isInlined, offset >= start {
            member("call_offset", offset.rawValue - start.rawValue)
        }
        if function.hasCompilerGeneratedFile { member("compiler_generated_file", true) }
    }
}
