public import ByteReading
public import CallStacks

/// An ELF file.
///
/// Opening one reads only the header tables, the names of sections and the notes. Other contents
/// are read and checked on access.
public struct ELFImage: Sendable {
    public let header: ELFHeader
    /// The identity, from the notes.
    public let buildID: BuildID
    /// The sections in file order; the first one is empty.
    public let sections: [ELFSection]
    private let segments: [ELFSegment]
    private let file: FileBytes

    /// - Throws: ``ReadingError`` if the header tables are corrupt or truncated.
    public init(_ file: FileBytes) throws(ReadingError) {
        header = try ELFHeader(file)
        let tables = try ELFTables(file)
        self.file = file
        segments = tables.segments
        sections = Self.named(tables, in: file)
        buildID = Self.buildID(sections, segments: segments, in: file, header: header)
    }

    /// The maximum length of a section name, in bytes.
    static let nameBytesLimit = 1024

    /// Returns the sections with their names, as far as these are readable.
    private static func named(_ tables: ELFTables, in file: FileBytes) -> [ELFSection] {
        guard tables.sections.indices.contains(tables.namesIndex),
            let names = try? bytes(of: tables.sections[tables.namesIndex], in: file)
        else { return tables.sections }
        return tables.sections.map { section in
            var section = section
            if let range = try? names.textRange(at: section.nameOffset, limit: nameBytesLimit) {
                section.name = names.string(of: range)
            }
            return section
        }
    }

    /// Finds the build ID, preferring sections: in a debug file, `PT_NOTE` contains the offset of
    /// the notes in the image, at which the debug file has other bytes. Corrupt notes are ignored.
    private static func buildID(
        _ sections: [ELFSection], segments: [ELFSegment], in file: FileBytes, header: ELFHeader
    ) -> BuildID {
        let extents =
            sections.filter { $0.type == ELFSection.note }.map { ($0.offset, $0.size) }
            + segments.filter { $0.type == ELFSegment.note }.map { ($0.offset, $0.fileSize) }
        var budget = BuildID.noteCountLimit
        for (offset, size) in extents {
            guard let notes = try? file.slice(at: offset, count: size, subject: "notes"),
                let found = try? BuildID(
                    notes: notes, bigEndian: header.isBigEndian, budget: &budget)
            else { continue }
            return found
        }
        return .absent
    }

    /// The base and code sections.
    ///
    /// The base is the address of the first `PT_LOAD`, which need not be the lowest: a kernel has a
    /// segment at 0 for the data of each CPU. A file without one has base 0.
    public var layout: ImageLayout {
        let first = segments.first { $0.type == ELFSegment.load }
        let code = sections.filter(\.containsCode)
        return ImageLayout(
            base: LinkAddress(first?.address ?? 0),
            sections: code.map { ($0.address, $0.size) })
    }

    /// The distance from the base to the end of the loaded segments, in bytes.
    public var extent: UInt64 { size { $0.type == ELFSegment.load } }

    /// The distance from the base to the end of the segments with code, in bytes.
    public var textSize: UInt64 { size(of: \.containsCode) }

    /// Returns the distance from the base to the end of some segments, in bytes.
    private func size(of isCounted: (ELFSegment) -> Bool) -> UInt64 {
        let base = layout.base.rawValue
        return segments.filter(isCounted).reduce(0) { size, segment in
            let (end, overflows) = segment.address.addingReportingOverflow(segment.memorySize)
            return overflows || end < base ? size : max(size, end - base)
        }
    }

    /// The parts of the file that are loaded.
    public var loadedSegments: [ELFSegment] { segments.filter { $0.type == ELFSegment.load } }

    /// Whether the file specifies a dynamic linker, as programs do and libraries do not.
    public var namesInterpreter: Bool {
        segments.contains { $0.type == ELFSegment.interpreter }
    }

    /// Whether all code sections lack bytes, so that the file can only contain debug information.
    public var lacksCodeBytes: Bool {
        let code = sections.filter(\.containsCode)
        return !code.isEmpty && code.allSatisfy { !$0.hasBytes }
    }

    /// The size of the file in bytes.
    public var byteCount: Int { file.count }

    /// Returns the bytes of a section in the file, or `nil` if it has none.
    public func bytes(of section: ELFSection) throws(ReadingError) -> FileBytes? {
        try Self.bytes(of: section, in: file)
    }

    private static func bytes(
        of section: ELFSection, in file: FileBytes
    ) throws(ReadingError) -> FileBytes? {
        guard section.hasBytes else { return nil }
        return try file.slice(
            at: section.offset, count: section.size, subject: section.subject)
    }

    /// Returns the file range of a section, or `nil` unless the file has all of its bytes.
    public func range(of section: ELFSection) -> Range<Int>? {
        guard section.hasBytes, (try? bytes(of: section)) != nil,
            let start = Int(exactly: section.offset), let count = Int(exactly: section.size)
        else { return nil }
        return start..<start + count
    }

    /// Returns a section's compression header, or `nil` if it is not compressed or empty.
    public func compression(of section: ELFSection) throws(ReadingError) -> ELFCompression? {
        guard section.isCompressed, let bytes = try bytes(of: section) else { return nil }
        return try ELFCompression(bytes, header: header)
    }

    /// Returns the best symbol table: `.symtab`, or else `.dynsym`, or `nil` if there is neither.
    public func symbols() throws(ReadingError) -> ELFSymbols? {
        for type in [ELFSection.symbolTable, ELFSection.dynamicSymbolTable] {
            guard let section = sections.first(where: { $0.type == type && $0.hasBytes }),
                let entries = try bytes(of: section)
            else { continue }
            return ELFSymbols(
                entries: entries, names: try symbolNames(of: section),
                isFull: type == ELFSection.symbolTable, header: header)
        }
        return nil
    }

    private func symbolNames(of table: ELFSection) throws(ReadingError) -> FileBytes {
        guard let index = Int(exactly: table.link), sections.indices.contains(index),
            sections[index].type == ELFSection.stringTable,
            let names = try bytes(of: sections[index])
        else {
            let problem = "has its strings in section \(table.link), which is not a string table"
            throw ReadingError(.malformed(problem), in: table.subject, at: 0)
        }
        return names
    }

    /// Returns the bytes of the first section with this name that has any.
    private func bytes(ofSectionNamed name: String) throws(ReadingError) -> FileBytes? {
        guard let section = sections.first(where: { $0.name == name && $0.hasBytes })
        else { return nil }
        return try bytes(of: section)
    }

    /// Returns the link to the file with the debug information, if there is one.
    public func debugLink() throws(ReadingError) -> DebugLink? {
        guard let bytes = try bytes(ofSectionNamed: ".gnu_debuglink") else { return nil }
        return try DebugLink(bytes, bigEndian: header.isBigEndian)
    }

    /// Returns the link to the supplementary file of `dwz`, if there is one.
    public func debugAlternateLink() throws(ReadingError) -> DebugAlternateLink? {
        guard let bytes = try bytes(ofSectionNamed: ".gnu_debugaltlink") else { return nil }
        return try DebugAlternateLink(bytes)
    }

    /// Returns the xz stream of an ELF file with only a symbol table (`.gnu_debugdata`), if there is
    /// one.
    public func packedSymbolFile() throws(ReadingError) -> FileBytes? {
        try bytes(ofSectionNamed: ".gnu_debugdata")
    }
}
