import JSONText

/// Members of frames that come again in other frames, and are made JSON once: those of a name, of a
/// file, of an image.
struct WrittenMembers {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// Writes one more piece, whose number is the ``count`` before it.
    mutating func append(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        // Without the braces.
        bytes += writer.bytes[1..<writer.bytes.count - 1]
        ends.append(bytes.count)
    }

    /// Writes piece `number` as the next members of an object.
    func write(_ number: Int, to writer: inout JSONWriter) {
        let start = number == 0 ? 0 : ends[number - 1]
        writer.members(written: bytes.span.extracting(start..<ends[number]))
    }
}
