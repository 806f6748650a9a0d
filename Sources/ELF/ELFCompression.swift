public import ByteReading

/// The header of a compressed section (`Elf32_Chdr`, `Elf64_Chdr`), and its stream.
///
/// `gelf_getchdr` is not used, because it copies the whole section if it is unaligned or has the
/// other byte order.
public struct ELFCompression: Sendable {
    /// `ch_type`: 1 is zlib, 2 is zstd.
    public let type: UInt32
    /// `ch_size`, in bytes: the declared size, unchecked.
    public let inflatedCount: UInt64
    public let stream: FileBytes

    init(_ section: FileBytes, header: ELFHeader) throws(ReadingError) {
        var cursor = ByteCursor(section, bigEndian: header.isBigEndian)
        type = try cursor.number(UInt32.self)
        if header.is64Bit { try cursor.skip(4) }
        inflatedCount = try cursor.unsigned(size: header.addressSize)
        // The alignment of the inflated bytes.
        try cursor.skip(UInt64(header.addressSize))
        stream = try section.slice(
            at: cursor.offset, count: cursor.remaining, subject: section.subject)
    }
}
