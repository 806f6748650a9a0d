public import ByteReading
public import CallStacks

/// The header of an ELF file, with header tables that were checked against the file's size.
///
/// libelf allocates memory for every section when it opens a file, so their number is limited here.
/// Unlike libelf's errors, these have an offset.
public struct ELFHeader: Hashable, Sendable {
    /// Whether addresses have 8 bytes (`ELFCLASS64`).
    public let is64Bit: Bool
    /// Whether numbers are big-endian (`ELFDATA2MSB`).
    public let isBigEndian: Bool
    public let type: ELFFileType
    public let architecture: Architecture

    /// The maximum number of sections. Executables linked with a section per function may have more
    /// than the 65,279 that fit in the header. libelf needs about 200 bytes for each.
    public static let sectionCountLimit: UInt64 = 1 << 20

    /// Whether `file` starts with the ELF magic.
    public static func begins(_ file: FileBytes) -> Bool {
        (try? file.number(UInt32.self, at: 0, bigEndian: true)) == 0x7f45_4c46
    }

    init(_ file: FileBytes) throws(ReadingError) {
        guard Self.begins(file)
        else { throw ReadingError(.malformed("no ELF magic"), in: file.subject, at: 0) }
        let fileClass = try file.number(UInt8.self, at: 4)
        let order = try file.number(UInt8.self, at: 5)
        guard 1...2 ~= fileClass
        else { throw ReadingError(.malformed("unknown class \(fileClass)"), in: "file", at: 4) }
        guard 1...2 ~= order
        else { throw ReadingError(.malformed("unknown byte order \(order)"), in: "file", at: 5) }
        is64Bit = fileClass == 2
        isBigEndian = order == 2
        var cursor = ByteCursor(file, at: 16, bigEndian: isBigEndian)
        type = ELFFileType(rawValue: try cursor.number(UInt16.self))
        let machine = try cursor.number(UInt16.self)
        architecture = Architecture(elfMachine: machine, is64Bit: is64Bit)
        try checkTables(file, cursor: &cursor)
    }

    /// The size of an address in bytes.
    public var addressSize: Int { is64Bit ? 8 : 4 }

    private var sectionHeaderSize: UInt64 { is64Bit ? 64 : 40 }
    private var segmentHeaderSize: UInt64 { is64Bit ? 56 : 32 }

    private func checkTables(
        _ file: FileBytes, cursor: inout ByteCursor
    ) throws(ReadingError) {
        // Version and entry point.
        try cursor.skip(4 + UInt64(addressSize))
        let segments = try cursor.unsigned(size: addressSize)
        let sections = try cursor.unsigned(size: addressSize)
        // Flags, the size of this header, and that of a segment header.
        try cursor.skip(8)
        let segmentCount = UInt64(try cursor.number(UInt16.self))
        try cursor.skip(2)
        var sectionCount = UInt64(try cursor.number(UInt16.self))
        if sections != 0, sectionCount == 0 {
            // More than 65,279 sections: the count is the size of section 0.
            var first = ByteCursor(file, bigEndian: isBigEndian)
            try first.jump(to: sections)
            try first.skip(is64Bit ? 32 : 20)
            sectionCount = try first.unsigned(size: addressSize)
        }
        guard sectionCount <= Self.sectionCountLimit else {
            let problem = "\(sectionCount) sections, limit is \(Self.sectionCountLimit)"
            throw ReadingError(.malformed(problem), in: "section headers", at: 0)
        }
        try Self.check(
            sectionCount * sectionHeaderSize, at: sections, of: file, table: "section headers")
        try Self.check(
            segmentCount * segmentHeaderSize, at: segments, of: file, table: "program headers")
    }

    private static func check(
        _ size: UInt64, at offset: UInt64, of file: FileBytes, table: String
    ) throws(ReadingError) {
        if size > 0 { _ = try file.slice(at: offset, count: size, subject: table) }
    }
}

/// The type of an ELF file (`e_type`).
public struct ELFFileType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An object file, whose sections are not relocated and have no addresses yet.
    public static let relocatable = Self(rawValue: 1)
    public static let executable = Self(rawValue: 2)
    public static let shared = Self(rawValue: 3)
}
