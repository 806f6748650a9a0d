import JSONText

/// JSON members that several frames share and that are encoded once, such as those of a name, a
/// file or an image.
struct EncodedMembers {
    private var pieces: [[UInt8]] = []

    var count: Int { pieces.count }

    /// Appends a piece, whose number is the ``count`` before it.
    ///
    /// - Parameter writer: Any compact writer, whose storage is reused.
    mutating func append(by writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
        writer.removeAll()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        // Strips the braces.
        pieces.append(Array(writer.bytes[1..<writer.bytes.count - 1]))
    }

    /// Writes piece `number` as the next members of an object.
    func write(_ number: Int, to writer: inout JSONWriter) {
        let piece = pieces[number]
        writer.members(written: piece.span)
    }
}
