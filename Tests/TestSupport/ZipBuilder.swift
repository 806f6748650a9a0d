/// Builds a zip archive of stored entries, valid or not.
public struct ZipBuilder: Sendable {
    private var archive = ByteWriter()
    private var directory = ByteWriter()
    private var entryCount = 0

    public init() {}

    /// - Parameters:
    ///   - flags: Bit 0 marks the entry as encrypted, bit 11 the name as UTF-8.
    ///   - mode: The Unix permissions and file type.
    ///   - checksum: The checksum in the headers, if it is not the CRC-32 of `contents`.
    public mutating func add(
        _ name: [UInt8], _ contents: [UInt8] = [], flags: UInt16 = 0, mode: UInt32 = 0o100644,
        checksum: UInt32? = nil
    ) {
        var fields = ByteWriter()
        fields.add(flags)
        // Stored, dated 1 January 1980.
        fields.add([0, 0, 0, 0, 0x21, 0])
        fields.add(checksum ?? crc32(contents))
        fields.add(UInt32(contents.count))
        fields.add(UInt32(contents.count))
        fields.add(UInt16(name.count))
        fields.add(0 as UInt16)
        let offset = archive.bytes.count
        archive.add([0x50, 0x4b, 3, 4, 20, 0])
        archive.add(fields.bytes + name + contents)
        directory.add([0x50, 0x4b, 1, 2, 20, 3, 20, 0])
        directory.add(fields.bytes)
        directory.add([0, 0, 0, 0, 0, 0])
        directory.add(mode << 16)
        directory.add(UInt32(offset))
        directory.add(name)
        entryCount += 1
    }

    public mutating func add(_ name: String, _ contents: [UInt8] = []) {
        add(Array(name.utf8), contents, flags: 1 << 11)
    }

    public func bytes() -> [UInt8] {
        var whole = archive
        whole.add(directory.bytes)
        whole.add([0x50, 0x4b, 5, 6, 0, 0, 0, 0])
        whole.add(UInt16(truncatingIfNeeded: entryCount))
        whole.add(UInt16(truncatingIfNeeded: entryCount))
        whole.add(UInt32(directory.bytes.count))
        whole.add(UInt32(archive.bytes.count))
        whole.add(0 as UInt16)
        return whole.bytes
    }
}

/// Returns the checksum of zip, gzip and PNG (ISO 3309).
func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xedb8_8320 }
    }
    return ~sum
}
