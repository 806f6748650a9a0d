import ByteReading
public import CallStacks

/// The identity of a file, or why it has none.
public enum BuildID: Hashable, Sendable {
    case present(ImageID)
    /// The linker wrote none; `-Wl,--build-id` makes it write one.
    case absent
    /// The note has this many bytes and is not an identity: it is empty, all zeros, or longer than
    /// ``CallStacks/ImageID/lengthLimit``.
    case unusable(byteCount: Int)

    /// The maximum number of notes read in one file. Headers may share notes, so the file's size is
    /// not a limit.
    static let noteCountLimit = 1 << 16

    /// Finds the note `GNU` of type 3 (`NT_GNU_BUILD_ID`) in `notes`.
    ///
    /// - Parameter budget: The number of notes that may be read; decreased by the number read.
    init?(notes: FileBytes, bigEndian: Bool, budget: inout Int) throws(ReadingError) {
        var cursor = ByteCursor(notes, bigEndian: bigEndian)
        while cursor.remaining >= 12, budget > 0 {
            budget -= 1
            let nameSize = UInt64(try cursor.number(UInt32.self))
            let size = UInt64(try cursor.number(UInt32.self))
            let type = try cursor.number(UInt32.self)
            let name = try notes.slice(at: cursor.offset, count: nameSize, subject: "note name")
            try cursor.skip(nameSize)
            try Self.align(&cursor)
            if type == 3, Self.isGNU(name) {
                self = try Self.identity(&cursor, size: size)
                return
            }
            try cursor.skip(size)
            try Self.align(&cursor)
        }
        return nil
    }

    private static func identity(
        _ cursor: inout ByteCursor, size: UInt64
    ) throws(ReadingError) -> Self {
        try cursor.bytes.check(size, at: cursor.offset)
        guard size <= ImageID.lengthLimit else { return .unusable(byteCount: Int(size)) }
        var bytes: [UInt8] = []
        for _ in 0..<size { bytes.append(try cursor.number(UInt8.self)) }
        return ImageID(bytes: bytes).map(Self.present) ?? .unusable(byteCount: bytes.count)
    }

    private static func isGNU(_ name: FileBytes) -> Bool {
        name.count == 4 && (try? name.number(UInt32.self, at: 0, bigEndian: true)) == 0x474e_5500
    }

    /// Skips the padding that aligns a note's name or contents to 4 bytes; the last padding may be
    /// missing.
    private static func align(_ cursor: inout ByteCursor) throws(ReadingError) {
        let padding = (4 - cursor.offset % 4) % 4
        try cursor.skip(min(padding, cursor.remaining))
    }
}
