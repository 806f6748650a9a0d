import ByteReading
import CLibDwarf

/// The header of a line program (DWARF 5, 6.2.4), versions 2 to 5.
///
/// The program's own version applies, not the unit's: assemblers write version 3 programs for
/// version 5 units.
struct LineProgramHeader {
    let version: UInt16
    let minimumInstructionLength: UInt64
    /// The maximum number of operations per instruction, above 1 for VLIW processors.
    let maximumOperations: UInt64
    let lineBase: Int64
    let lineRange: UInt64
    let opcodeBase: UInt8
    /// The numbers of operands of the standard opcodes, from opcode 1.
    let operandCounts: [UInt8]
    private(set) var directories: [TextReference?] = []
    private(set) var files: [FileEntry] = []
    /// The range of the opcodes in `.debug_line`.
    let program: Range<UInt64>

    /// A reference to a string in one of three sections.
    struct TextReference: Hashable {
        let section: DwarfSections.Name
        let offset: UInt64
    }

    struct FileEntry: Hashable {
        let name: TextReference?
        let directory: UInt64
    }

    /// Reads the header at `offset` of `.debug_line`.
    ///
    /// - Parameters:
    ///   - unit: The unit of the program, for errors.
    ///   - tables: The tables for names of form `DW_FORM_strx`.
    ///   - budget: The budget for the whole table, which is spent before anything else is read,
    ///     because any number of units may share a damaged table.
    init(
        at offset: UInt64, in sections: DwarfSections, unit: UnitHeader, tables: UnitTables,
        budget: WorkBudget
    ) throws(DwarfError) {
        var cursor = ByteCursor(sections.bytes(.line), at: offset, bigEndian: sections.isBigEndian)
        let (length, version) = try DwarfError.placing(unit: unit.offset) {
            () throws(ReadingError) in
            (try UnitLength(from: &cursor), try cursor.number(UInt16.self))
        }
        try budget.spend(length.end - offset)
        guard (2...5).contains(version)
        else { throw DwarfError(.lineTableVersion(version), unit: unit.offset) }
        do {
            // Nothing past the end of the table is read.
            let bytes = sections.bytes(.line)
            var cut = ByteCursor(
                try bytes.slice(at: 0, count: length.end, subject: bytes.subject),
                at: cursor.offset, bigEndian: sections.isBigEndian)
            try self.init(version: version, length: length, from: &cut, tables: tables)
        } catch {
            throw DwarfError(.reading(error), unit: unit.offset)
        }
    }

    private init(
        version: UInt16, length: UnitLength, from cursor: inout ByteCursor, tables: UnitTables
    ) throws(ReadingError) {
        self.version = version
        if version >= 5 {
            try cursor.skip(1)  // size of an address; opcodes with one have their own
            guard try cursor.number(UInt8.self) == 0
            else { throw cursor.error(.malformed("unsupported segment selectors")) }
        }
        let headerSize = try cursor.unsigned(size: length.offsetSize)
        let (start, overflow) = cursor.offset.addingReportingOverflow(headerSize)
        guard !overflow, start <= length.end
        else { throw cursor.error(.malformed("line table header leaves its unit")) }
        program = start..<length.end
        minimumInstructionLength = UInt64(try cursor.number(UInt8.self))
        maximumOperations = version >= 4 ? max(UInt64(try cursor.number(UInt8.self)), 1) : 1
        try cursor.skip(1)  // whether rows start statements at first
        lineBase = Int64(try cursor.number(Int8.self))
        lineRange = UInt64(try cursor.number(UInt8.self))
        opcodeBase = try cursor.number(UInt8.self)
        guard lineRange > 0 else { throw cursor.error(.malformed("line_range is 0")) }
        guard opcodeBase > 0 else { throw cursor.error(.malformed("opcode_base is 0")) }
        var counts: [UInt8] = []
        for _ in 1..<max(opcodeBase, 1) { counts.append(try cursor.number(UInt8.self)) }
        operandCounts = counts
        if version >= 5 {
            try readTables(from: &cursor, offsetSize: length.offsetSize, tables: tables)
        } else {
            try readLists(from: &cursor)
        }
    }

    /// Adds a file defined in the program (`DW_LNE_define_file`, before version 5).
    mutating func add(_ file: FileEntry) { files.append(file) }

    /// Returns file `number`, or `nil` if the table has none. Before version 5, numbers start at 1,
    /// and 0 means none.
    func file(numbered number: UInt64) -> FileEntry? {
        let first: UInt64 = version >= 5 ? 0 : 1
        guard number >= first, number - first < UInt64(files.count) else { return nil }
        return files[Int(number - first)]
    }

    /// Reads the tables of versions 2 to 4, in which an empty string ends a list.
    private mutating func readLists(from cursor: inout ByteCursor) throws(ReadingError) {
        while let directory = try Self.text(from: &cursor, before: program.lowerBound) {
            directories.append(directory)
        }
        while let file = try Self.file(from: &cursor, before: program.lowerBound) {
            files.append(file)
        }
    }

    /// Reads a file of versions 2 to 4, or returns `nil` at the end of the list.
    static func file(
        from cursor: inout ByteCursor, before end: UInt64
    ) throws(ReadingError) -> FileEntry? {
        guard let name = try text(from: &cursor, before: end) else { return nil }
        let directory = try cursor.uleb128()
        _ = try cursor.uleb128()  // time of change
        _ = try cursor.uleb128()  // size
        return FileEntry(name: name, directory: directory)
    }

    /// Skips a string. Returns `nil` if it is empty, which ends the list.
    private static func text(
        from cursor: inout ByteCursor, before end: UInt64
    ) throws(ReadingError) -> TextReference? {
        guard cursor.offset < end else { return nil }
        let start = cursor.offset
        let range = try cursor.bytes.textRange(at: start, limit: TextValue.bytesLimit)
        try cursor.jump(to: UInt64(range.upperBound) + 1)
        return range.isEmpty ? nil : TextReference(section: .line, offset: start)
    }
}

extension LineProgramHeader {
    /// The format of an entry of a version 5 table.
    private struct EntryFormat {
        var fields: [(content: UInt64, form: Int32)] = []

        init(from cursor: inout ByteCursor) throws(ReadingError) {
            for _ in 0..<(try cursor.number(UInt8.self)) {
                let content = try cursor.uleb128()
                fields.append((content, Int32(truncatingIfNeeded: try cursor.uleb128())))
            }
        }
    }

    /// Reads the tables of version 5: directories, then files, in formats given in the header
    /// (6.2.4.1).
    private mutating func readTables(
        from cursor: inout ByteCursor, offsetSize: Int, tables: UnitTables
    ) throws(ReadingError) {
        directories = try Self.entries(from: &cursor, offsetSize: offsetSize, tables: tables)
            .map(\.name)
        files = try Self.entries(from: &cursor, offsetSize: offsetSize, tables: tables)
    }

    private static func entries(
        from cursor: inout ByteCursor, offsetSize: Int, tables: UnitTables
    ) throws(ReadingError) -> [FileEntry] {
        let format = try EntryFormat(from: &cursor)
        let count = try cursor.uleb128()
        var entries: [FileEntry] = []
        var number: UInt64 = 0
        while number < count {
            let start = cursor.offset
            entries.append(
                try entry(format, from: &cursor, offsetSize: offsetSize, tables: tables))
            // Empty entries are ignored, however many the header announces.
            if cursor.offset == start { return [] }
            number += 1
        }
        return entries
    }

    private static func entry(
        _ format: EntryFormat, from cursor: inout ByteCursor, offsetSize: Int, tables: UnitTables
    ) throws(ReadingError) -> FileEntry {
        var name: TextReference?
        var directory: UInt64 = 0
        for field in format.fields {
            switch Int32(truncatingIfNeeded: field.content) {
            case DW_LNCT_path:
                name = try text(
                    field.form, from: &cursor, offsetSize: offsetSize, tables: tables)
            case DW_LNCT_directory_index:
                directory = try number(field.form, from: &cursor)
            default:
                try skip(field.form, from: &cursor, offsetSize: offsetSize)
            }
        }
        return FileEntry(name: name, directory: directory)
    }

    private static func text(
        _ form: Int32, from cursor: inout ByteCursor, offsetSize: Int, tables: UnitTables
    ) throws(ReadingError) -> TextReference {
        switch form {
        case DW_FORM_string:
            let start = cursor.offset
            try skip(form, from: &cursor, offsetSize: offsetSize)
            return TextReference(section: .line, offset: start)
        case DW_FORM_line_strp:
            return TextReference(section: .lineStr, offset: try cursor.unsigned(size: offsetSize))
        case DW_FORM_strp:
            return TextReference(section: .str, offset: try cursor.unsigned(size: offsetSize))
        case DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4:
            let index = try number(form, from: &cursor)
            return TextReference(section: .str, offset: try tables.stringOffset(at: index))
        default:
            throw cursor.error(.malformed("file name has form 0x\(String(form, radix: 16))"))
        }
    }

    private static func number(
        _ form: Int32, from cursor: inout ByteCursor
    ) throws(ReadingError) -> UInt64 {
        switch form {
        case DW_FORM_data1, DW_FORM_strx1: try cursor.unsigned(size: 1)
        case DW_FORM_data2, DW_FORM_strx2: try cursor.unsigned(size: 2)
        case DW_FORM_strx3: try cursor.unsigned(size: 3)
        case DW_FORM_data4, DW_FORM_strx4: try cursor.unsigned(size: 4)
        case DW_FORM_data8: try cursor.unsigned(size: 8)
        case DW_FORM_udata, DW_FORM_strx: try cursor.uleb128()
        default: throw cursor.error(.malformed("number has form 0x\(String(form, radix: 16))"))
        }
    }

    private static func skip(
        _ form: Int32, from cursor: inout ByteCursor, offsetSize: Int
    ) throws(ReadingError) {
        switch form {
        case DW_FORM_string:
            let range = try cursor.bytes.textRange(at: cursor.offset, limit: TextValue.bytesLimit)
            try cursor.jump(to: UInt64(range.upperBound) + 1)
        case DW_FORM_line_strp, DW_FORM_strp, DW_FORM_strp_sup, DW_FORM_sec_offset:
            try cursor.skip(UInt64(offsetSize))
        case DW_FORM_data16: try cursor.skip(16)
        case DW_FORM_flag: try cursor.skip(1)
        case DW_FORM_block: try cursor.skip(try cursor.uleb128())
        case DW_FORM_block1: try cursor.skip(try cursor.unsigned(size: 1))
        case DW_FORM_block2: try cursor.skip(try cursor.unsigned(size: 2))
        case DW_FORM_block4: try cursor.skip(try cursor.unsigned(size: 4))
        case DW_FORM_sdata: _ = try cursor.sleb128()
        default: _ = try number(form, from: &cursor)
        }
    }
}
