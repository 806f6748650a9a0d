import ByteReading

/// Reads entries from the mapped bytes, which is several times faster than libdwarf and has none of
/// its limits. It reads all files without a ``MappedRefusal``.
struct MappedSource: EntrySource {
    private let sections: DwarfSections
    private let budget: WorkBudget
    /// Whether only the units' own entries are readable, so that only their abbreviations are
    /// compiled. A table of GCC has hundreds of others.
    private let hasOnlyRoots: Bool
    /// The tables and the errors of damaged ones, which any number of units may share.
    private var tables: [TableKey: Result<AbbreviationPrograms, ReadingError>] = [:]
    private var compiler = AbbreviationCompiler()

    /// The maximum number of cached tables. Usually each unit has its own.
    private static let tablesLimit = 64

    private struct TableKey: Hashable {
        let offset: UInt64
        /// The code of the only compiled abbreviation, or `nil` for the whole table.
        let code: UInt64?
        let format: FormShape.Format
    }

    init(
        _ sections: DwarfSections, units: [UnitHeader], budget: WorkBudget
    ) throws(DwarfError) {
        self.sections = sections
        self.budget = budget
        hasOnlyRoots = false
    }

    /// Creates a source in which only the units' own entries are readable.
    init(ofRootsIn sections: DwarfSections, budget: WorkBudget) {
        self.sections = sections
        self.budget = budget
        hasOnlyRoots = true
    }

    mutating func open(_ header: UnitHeader) throws(DwarfError) -> MappedUnit {
        MappedUnit(header, of: sections.bytes(.info), programs: try programs(for: header))
    }

    private mutating func programs(
        for header: UnitHeader
    ) throws(DwarfError) -> AbbreviationPrograms {
        let format = FormShape.Format(header)
        let code = hasOnlyRoots ? rootCode(of: header) : nil
        let key = TableKey(offset: header.abbreviations, code: code, format: format)
        let table: Result<AbbreviationPrograms, ReadingError>
        if let known = tables[key] {
            table = known
        } else {
            table = compiled(key)
            try budget.spend(Self.cost(of: table, at: key.offset))
            if tables.count >= Self.tablesLimit { tables.removeAll(keepingCapacity: true) }
            tables[key] = table
        }
        return try DwarfError.placing(unit: header.offset) { () throws(ReadingError) in
            try table.get()
        }
    }

    private mutating func compiled(
        _ key: TableKey
    ) -> Result<AbbreviationPrograms, ReadingError> {
        Result { () throws(ReadingError) in
            try AbbreviationPrograms(
                sections.bytes(.abbrev), at: key.offset, only: key.code, format: key.format,
                compiledBy: &compiler)
        }
    }

    /// Returns the number of bytes read, up to the error in a damaged table.
    private static func cost(
        of table: Result<AbbreviationPrograms, ReadingError>, at start: UInt64
    ) -> UInt64 {
        switch table {
        case .success(let programs): programs.size
        case .failure(let error): error.offset > start ? error.offset - start : 0
        }
    }

    /// Returns the abbreviation code of a unit's own entry, or `nil` if it cannot be read.
    private func rootCode(of header: UnitHeader) -> UInt64? {
        let bytes = unsafe EntryBytes(sections.bytes(.info), unit: header)
        var position = Int(header.root)
        return bytes.uleb128(at: &position)
    }
}

/// A unit in the mapped bytes.
final class MappedUnit: UnitEntries {
    let header: UnitHeader
    let programs: AbbreviationPrograms
    let bytes: EntryBytes
    /// The owner of `bytes`.
    private let info: FileBytes

    init(_ header: UnitHeader, of info: FileBytes, programs: AbbreviationPrograms) {
        self.header = header
        self.programs = programs
        self.info = info
        bytes = unsafe EntryBytes(info, unit: header)
    }

    func tag(ofEntryAt offset: UInt64) throws(DwarfError) -> UInt16 {
        let entry = try entry(at: offset)
        return unsafe programs.all[entry.program].tag
    }

    func read(entryAt offset: UInt64, into values: inout EntryValues) throws(DwarfError) {
        let entry = try entry(at: offset)
        values.removeAll(inUnitAt: header.offset)
        let program = unsafe programs.all + entry.program
        guard unsafe bytes.read(program, of: programs, at: entry.values, into: &values)
        else { throw leaves(offset) }
    }

    func walk(limit: Int) throws(DwarfError) -> MappedWalk {
        let entry = try entry(at: root)
        var start = entry.values
        let program = unsafe programs.all + entry.program
        guard unsafe bytes.skip(program, of: programs, at: &start) else { throw leaves(root) }
        return MappedWalk(
            self, from: unsafe program.pointee.hasChildren ? start : bytes.end, limit: limit)
    }

    /// Returns the positions of the program and the values of the entry at `offset`, which may be
    /// any number.
    private func entry(at offset: UInt64) throws(DwarfError) -> (program: Int, values: Int) {
        guard offset >= root, offset < header.end
        else { throw malformed("entry lies outside of the unit") }
        var position = Int(offset)
        guard let code = bytes.uleb128(at: &position) else { throw leaves(offset) }
        let number = programs.number(of: code)
        guard unsafe programs.all[number].isDefined else { throw undefined(code, at: offset) }
        return (number, position)
    }

    func leaves(_ offset: UInt64) -> DwarfError {
        malformed("entry at .debug_info+0x\(String(offset, radix: 16)) is not readable")
    }

    func undefined(_ code: UInt64, at offset: UInt64) -> DwarfError {
        malformed(
            code == 0
                ? "no entry at .debug_info+0x\(String(offset, radix: 16))"
                : "abbreviation \(code) of .debug_info+0x\(String(offset, radix: 16)) is missing")
    }
}
