import ByteReading
public import CallStacks

/// The name and checksum of the file that debug information was moved to (`.gnu_debuglink`).
///
/// The checksum only confirms a match; the build ID is decisive.
public struct DebugLink: Hashable, Sendable {
    public let fileName: String
    /// The CRC-32 of the whole linked file, as computed by zlib.
    public let checksum: UInt32

    init(_ section: FileBytes, bigEndian: Bool) throws(ReadingError) {
        var cursor = ByteCursor(section, bigEndian: bigEndian)
        fileName = try cursor.text(limit: pathBytesLimit)
        try cursor.skip((4 - cursor.offset % 4) % 4)
        checksum = try cursor.number(UInt32.self)
    }
}

/// The maximum length of a path in a link, in bytes.
private let pathBytesLimit = 4096

/// The supplementary file that `dwz` moved shared debug information to (`.gnu_debugaltlink`).
public struct DebugAlternateLink: Hashable, Sendable {
    public let fileName: String
    /// The build ID of the supplementary file.
    public let id: ImageID?

    init(_ section: FileBytes) throws(ReadingError) {
        var cursor = ByteCursor(section)
        fileName = try cursor.text(limit: pathBytesLimit)
        var bytes: [UInt8] = []
        while !cursor.isAtEnd, bytes.count <= ImageID.lengthLimit {
            bytes.append(try cursor.number(UInt8.self))
        }
        id = ImageID(bytes: bytes)
    }
}
