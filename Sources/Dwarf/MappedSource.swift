import ByteReading
import CLibDwarf
private import Glibc

/// Entries read from the mapped bytes: several times faster than libdwarf, and without its limits.
/// It takes what ``MappedRefusal`` has nothing against.
struct MappedSource: EntrySource {
    private let sections: DwarfSections
    private let budget: WorkBudget
    private var tables: [TableKey: AbbreviationPrograms] = [:]

    /// How many tables are kept: usually each unit has its own.
    private static let tablesLimit = 64

    private struct TableKey: Hashable {
        let offset: UInt64
        let format: FormShape.Format
    }

    init(
        _ sections: DwarfSections, units: [UnitHeader], budget: WorkBudget
    ) throws(DwarfError) {
        self.sections = sections
        self.budget = budget
    }

    mutating func open(_ header: UnitHeader) throws(DwarfError) -> MappedUnit {
        MappedUnit(header, in: sections, programs: try programs(for: header))
    }

    private mutating func programs(
        for header: UnitHeader
    ) throws(DwarfError) -> AbbreviationPrograms {
        let format = FormShape.Format(header)
        let key = TableKey(offset: header.abbreviations, format: format)
        if let known = tables[key] { return known }
        let section = sections.bytes(.abbrev)
        let made = try DwarfError.placing(unit: header.offset) { () throws(ReadingError) in
            try AbbreviationPrograms(section, at: header.abbreviations, format: format)
        }
        try budget.spend(made.size)
        if tables.count >= Self.tablesLimit { tables.removeAll(keepingCapacity: true) }
        tables[key] = made
        return made
    }
}

/// One unit over the mapped bytes.
final class MappedUnit: UnitEntries {
    let header: UnitHeader
    let programs: AbbreviationPrograms
    let bytes: EntryBytes
    private let info: FileBytes
    private let strings: FileBytes
    private let lineStrings: FileBytes

    init(_ header: UnitHeader, in sections: DwarfSections, programs: AbbreviationPrograms) {
        self.header = header
        self.programs = programs
        info = sections.bytes(.info)
        strings = sections.bytes(.str)
        lineStrings = sections.bytes(.lineStr)
        bytes = unsafe EntryBytes(info, unit: header)
    }

    func tag(ofEntryAt offset: UInt64) throws(DwarfError) -> UInt16 {
        try entry(at: offset).program.tag
    }

    func forEachAttribute(
        ofEntryAt offset: UInt64, _ body: (borrowing MappedAttribute) throws(DwarfError) -> Void
    ) throws(DwarfError) {
        let entry = try entry(at: offset)
        try forEachAttribute(of: entry.program, valuesAt: entry.values, body)
    }

    func walk(limit: Int) throws(DwarfError) -> MappedWalk {
        let entry = try entry(at: root)
        var start = entry.values
        guard bytes.skip(entry.program, of: programs, at: &start) else { throw leaves(root) }
        return MappedWalk(self, from: entry.program.hasChildren ? start : bytes.end, limit: limit)
    }

    /// The entry at `offset`, which may be any number, and where its values start.
    private func entry(
        at offset: UInt64
    ) throws(DwarfError) -> (program: AbbreviationProgram, values: Int) {
        guard offset >= root, offset < header.end
        else { throw malformed("entry lies outside of the unit") }
        var position = Int(offset)
        guard let code = bytes.uleb128(at: &position) else { throw leaves(offset) }
        let program = programs.program(of: code)
        guard program.tag != 0 else { throw undefined(code, at: offset) }
        return (program, position)
    }

    @inline(__always)
    func forEachAttribute(
        of program: AbbreviationProgram, valuesAt start: Int,
        _ body: (borrowing MappedAttribute) throws(DwarfError) -> Void
    ) throws(DwarfError) {
        var position = start
        for index in program.reads {
            let step = unsafe programs.reads[index]
            guard let (form, value) = bytes.value(of: step, at: &position)
            else { throw leaves(UInt64(start)) }
            if step.name == 0 { continue }
            try body(
                MappedAttribute(
                    name: Int32(step.name), form: Int32(form), value: value, unit: self))
        }
    }

    /// A text, whose end is looked for in its section.
    fileprivate func text(form: Int32, at offset: UInt64) throws(DwarfError) -> SectionText {
        let section =
            switch form {
            case DW_FORM_strp: strings
            case DW_FORM_line_strp: lineStrings
            default: info
            }
        return try DwarfError.placing(unit: header.offset) { () throws(ReadingError) in
            try SectionText(in: section, at: offset)
        }
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

extension SectionText {
    fileprivate init(in section: FileBytes, at offset: UInt64) throws(ReadingError) {
        try section.check(1, at: offset)
        let place = Int(offset)
        let space = min(section.count - place, Self.limit + 1)
        let start = unsafe section.withUnsafeBytes { unsafe $0.baseAddress! + place }
            .assumingMemoryBound(to: CChar.self)
        let count = unsafe strnlen(start, space)
        if count == space, space <= Self.limit {
            throw ReadingError(.unterminatedText, in: section.subject, at: offset)
        }
        unsafe self.init(start, count: count)
    }
}

/// An attribute whose value was read from the mapped bytes.
struct MappedAttribute: Attribute {
    let name: Int32
    let form: Int32
    /// A number, or the place of a text.
    fileprivate let value: UInt64
    private let unit: MappedUnit

    fileprivate init(name: Int32, form: Int32, value: UInt64, unit: MappedUnit) {
        self.name = name
        self.form = form
        self.value = value
        self.unit = unit
    }

    var unitOffset: UInt64 { unit.header.offset }

    func number() -> UInt64? { value }
    func signedNumber() -> Int64? { Int64(bitPattern: value) }
    func offset() -> UInt64? { value }
    func directAddress() -> UInt64? { value }
    func addressIndex() -> UInt64? { value }
    func textIndex() -> UInt64? { value }

    func directText() throws(DwarfError) -> SectionText? {
        try unit.text(form: form, at: value)
    }
}
