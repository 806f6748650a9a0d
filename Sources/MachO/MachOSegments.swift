import ByteReading
public import CallStacks

/// A segment: a range of addresses with its sections (`segment_command` of `mach-o/loader.h`).
public struct MachOSegment: Hashable, Sendable {
    public let name: String
    public let address: LinkAddress
    /// The size in memory, in bytes.
    public let size: UInt64
    /// The sections, in file order.
    public private(set) var sections: [MachOSection] = []
    let fileOffset: UInt64
    let fileSize: UInt64

    init(_ command: LoadCommand, header: MachOHeader) throws(ReadingError) {
        var cursor = command.body
        name = try cursor.fixedText(16)
        address = LinkAddress(try cursor.unsigned(size: header.addressSize))
        size = try cursor.unsigned(size: header.addressSize)
        fileOffset = try cursor.unsigned(size: header.addressSize)
        fileSize = try cursor.unsigned(size: header.addressSize)
        // Maximal and initial protection.
        try cursor.skip(8)
        let count = try cursor.number(UInt32.self)
        try cursor.skip(4)
        // Each section reads from the command, so an excessive count fails at its end.
        for _ in 0..<count {
            sections.append(try MachOSection(&cursor, header: header, segment: self))
        }
    }
}

extension MachOSegment {
    /// The addresses and sizes of the code sections, in bytes.
    var codeSections: [(address: LinkAddress, size: UInt64)] {
        sections.filter(\.containsCode).map { ($0.address, $0.size) }
    }

    /// The code sections, each with the size up to the next section or the segment's end.
    ///
    /// In dSYMs of 2007 and 2008 (Xcode 3), every section of the image has its address but a size
    /// of 0.
    var codeSectionsByAddress: [(address: LinkAddress, size: UInt64)] {
        let (sum, overflows) = address.rawValue.addingReportingOverflow(size)
        let end = overflows ? UInt64.max : sum
        let starts = Set(sections.map(\.address.rawValue)).sorted()
        let nextStarts = Dictionary(uniqueKeysWithValues: zip(starts, starts.dropFirst()))
        return sections.filter(\.containsCode).compactMap { section in
            let start = section.address.rawValue
            let limit = min(nextStarts[start] ?? end, end)
            return limit > start ? (section.address, limit - start) : nil
        }
    }
}

/// A section: a named part of a segment (`section` and `section_64` of `mach-o/loader.h`).
public struct MachOSection: Hashable, Sendable {
    /// The section's name. The field has sixteen bytes, so longer names are truncated.
    public let name: String
    public let address: LinkAddress
    /// The size in memory, in bytes. In a dSYM, code sections without bytes keep it.
    public let size: UInt64
    let fileOffset: UInt64
    let flags: UInt32
    /// For stubs, the index of the first one in the indirect symbol table, and the size of each.
    let firstIndirectSymbol: UInt32
    let stubSize: UInt32

    init(
        _ cursor: inout ByteCursor, header: MachOHeader, segment: MachOSegment
    ) throws(ReadingError) {
        name = try cursor.fixedText(16)
        try cursor.skip(16)
        address = LinkAddress(try cursor.unsigned(size: header.addressSize))
        size = try cursor.unsigned(size: header.addressSize)
        let offset = try cursor.number(UInt32.self)
        // Alignment, offset and number of relocations.
        try cursor.skip(12)
        flags = try cursor.number(UInt32.self)
        firstIndirectSymbol = try cursor.number(UInt32.self)
        stubSize = try cursor.number(UInt32.self)
        try cursor.skip(header.is64Bit ? 4 : 0)
        fileOffset = Self.unwrapped(offset, address: address, size: size, segment: segment)
    }

    /// Whether it contains instructions: `S_ATTR_PURE_INSTRUCTIONS` or `S_ATTR_SOME_INSTRUCTIONS`.
    public var containsCode: Bool { flags & 0x8000_0400 != 0 }

    /// Whether it contains stubs that jump to functions of other images: `S_SYMBOL_STUBS`.
    var containsStubs: Bool { flags & 0xff == 0x8 }

    /// Whether the file has the section's bytes.
    ///
    /// In a dSYM the code sections keep address and size, but their file offset is 0, where the
    /// file's header is. Zero-filled sections never have bytes.
    public var hasBytes: Bool {
        let isZeroFilled = [0x1, 0xc, 0x12].contains(flags & 0xff)
        return fileOffset != 0 && size != 0 && !isZeroFilled
    }

    /// Returns the offset in a file over 4 GiB, where the section's 32-bit offset has wrapped.
    ///
    /// The segment's offset has 64 bits, and sections have the same distances in the file as in
    /// memory.
    private static func unwrapped(
        _ offset: UInt32, address: LinkAddress, size: UInt64, segment: MachOSegment
    ) -> UInt64 {
        guard offset != 0, address >= segment.address else { return UInt64(offset) }
        let distance = address.rawValue - segment.address.rawValue
        let (fileOffset, overflow) = segment.fileOffset.addingReportingOverflow(distance)
        let fits = distance <= segment.fileSize && size <= segment.fileSize - distance
        guard !overflow, fits, UInt32(truncatingIfNeeded: fileOffset) == offset
        else { return UInt64(offset) }
        return fileOffset
    }
}

extension ByteCursor {
    /// Reads a string in a field of `size` bytes, up to the first zero if there is one.
    fileprivate mutating func fixedText(_ size: Int) throws(ReadingError) -> String {
        let start = Int(offset)
        try skip(UInt64(size))
        return bytes.withSpan(of: start..<start + size) { field in
            var end = 0
            while end < field.count, field[end] != 0 { end += 1 }
            return bytes.string(of: start..<start + end)
        }
    }
}
