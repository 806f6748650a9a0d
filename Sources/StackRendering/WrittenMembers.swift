import JSONText

/// Members of frames that come again in other frames, and are made JSON once: those of a name, of a
/// file, of an image.
struct WrittenMembers {
    private var pieces: [[UInt8]] = []

    var count: Int { pieces.count }

    /// Writes one more piece, whose number is the ``count`` before it.
    ///
    /// - Parameter writer: Any compact one, whose storage is used.
    mutating func append(by writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
        writer.removeAll()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        // Without the braces.
        pieces.append(Array(writer.bytes[1..<writer.bytes.count - 1]))
    }

    /// Writes piece `number` as the next members of an object.
    func write(_ number: Int, to writer: inout JSONWriter) {
        let piece = pieces[number]
        writer.members(written: piece.span)
    }
}
