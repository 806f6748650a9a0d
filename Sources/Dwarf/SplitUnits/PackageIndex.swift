import ByteReading

/// The table of a package of split units, `.debug_cu_index`, with each unit's parts of the sections
/// (DWARF 5, 7.3.5.3). GNU's format, which preceded the standard, is supported too.
///
/// After the header come a hash table of ids, the row of each slot, the sections of the columns,
/// and a row of offsets and one of sizes for each unit:
///
///     header │ ids: 8 bytes per slot │ rows: 4 bytes per slot │ columns │ offsets │ sizes
struct PackageIndex: Sendable {
    private let bytes: FileBytes
    private let isBigEndian: Bool
    private let unitCount: UInt64
    private let slotCount: UInt64
    /// The section of each column, or `nil` if it is not needed.
    private let columns: [DwarfSections.Name?]

    /// A unit's part of a section.
    typealias Part = (section: DwarfSections.Name, range: Range<UInt64>)

    private static let headerSize: UInt64 = 16
    /// The maximum number of columns. The standard has eight sections.
    static let columnsLimit: UInt32 = 16
    /// The maximum number of slots per search. In a table with a third of free slots, as in the
    /// standard, a search needs a few tens at most; a hostile table could otherwise be searched
    /// completely.
    static let probesLimit: UInt64 = 1 << 10

    init(_ bytes: FileBytes, isBigEndian: Bool) throws(ReadingError) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
        var cursor = ByteCursor(bytes, bigEndian: isBigEndian)
        let version = try Self.version(of: bytes, isBigEndian: isBigEndian)
        try cursor.skip(4)
        let columnCount = try cursor.number(UInt32.self)
        unitCount = UInt64(try cursor.number(UInt32.self))
        slotCount = UInt64(try cursor.number(UInt32.self))
        // With a power of two, the search visits every slot.
        guard slotCount & (slotCount &- 1) == 0, unitCount <= slotCount,
            columnCount <= Self.columnsLimit
        else { throw cursor.error(.malformed("package index has impossible counts")) }
        // Products of 32-bit and small numbers do not overflow.
        try cursor.skip(slotCount * 12)
        var columns: [DwarfSections.Name?] = []
        for _ in 0..<(slotCount == 0 ? 0 : columnCount) {
            columns.append(Self.section(try cursor.number(UInt32.self), version: version))
        }
        self.columns = columns
        try bytes.check(unitCount * UInt64(columns.count) * 8, at: cursor.offset)
    }

    /// Reads the version: two bytes and two of padding in version 5, four bytes in GNU's version 2.
    private static func version(
        of bytes: FileBytes, isBigEndian: Bool
    ) throws(ReadingError) -> UInt16 {
        if try bytes.number(UInt32.self, at: 0, bigEndian: isBigEndian) == 2 { return 2 }
        let version = try bytes.number(UInt16.self, at: 0, bigEndian: isBigEndian)
        guard version == 5 else {
            let problem = "unsupported package index version \(version) (supported: 2 and 5)"
            throw ReadingError(.malformed(problem), in: bytes.subject, at: 0)
        }
        return version
    }

    /// Returns the section of a `DW_SECT_` number, which differs between the versions.
    private static func section(_ number: UInt32, version: UInt16) -> DwarfSections.Name? {
        switch number {
        case 1: .info
        case 3: .abbrev
        case 6: .strOffsets
        case 8 where version >= 5: .rnglists
        default: nil
        }
    }

    /// Returns the parts of a unit in their sections, or `nil` if the package has no such unit.
    func parts(of id: UInt64) throws(ReadingError) -> [Part]? {
        guard let row = try row(of: id) else { return nil }
        let offsets =
            Self.headerSize + slotCount * 12 + UInt64(columns.count) * 4
            + (row - 1) * UInt64(columns.count) * 4
        let sizes = offsets + unitCount * UInt64(columns.count) * 4
        var parts: [Part] = []
        for (column, section) in columns.enumerated() {
            guard let section else { continue }
            let start = UInt64(try number(at: offsets + UInt64(column) * 4))
            let size = UInt64(try number(at: sizes + UInt64(column) * 4))
            parts.append((section, start..<start + size))
        }
        return parts
    }

    /// Returns the row of an id, starting at 1, or `nil` if it is not found within ``probesLimit``.
    private func row(of id: UInt64) throws(ReadingError) -> UInt64? {
        guard slotCount > 0 else { return nil }
        let mask = slotCount - 1
        var slot = id & mask
        let step = id &>> 32 & mask | 1
        for _ in 0..<min(slotCount, Self.probesLimit) {
            let offset = Self.headerSize + slotCount * 8 + slot * 4
            let row = UInt64(try number(at: offset))
            if row == 0 { return nil }
            let found = try bytes.number(
                UInt64.self, at: Self.headerSize + slot * 8, bigEndian: isBigEndian)
            if found == id {
                guard row <= unitCount else {
                    throw ReadingError(
                        .malformed("row \(row) of \(unitCount)"), in: bytes.subject,
                        at: offset)
                }
                return row
            }
            slot = (slot + step) & mask
        }
        return nil
    }

    private func number(at offset: UInt64) throws(ReadingError) -> UInt32 {
        try bytes.number(UInt32.self, at: offset, bigEndian: isBigEndian)
    }
}
