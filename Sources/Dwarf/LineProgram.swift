import ByteReading
import CLibDwarf
import CallStacks

/// A row as a line program emits it, its file still a number of the program's table.
struct ProgramRow: Hashable {
    var address: UInt64
    var file: UInt32
    var line: UInt32
    /// 0 for none, and for columns that do not fit.
    var column: UInt32

    /// Whether both rows say the same of their code.
    func saysTheSame(as other: ProgramRow) -> Bool {
        file == other.file && line == other.line && column == other.column
    }
}

/// Rows whose addresses ascend, up to an end.
struct LineSequence: Hashable {
    /// The code it covers.
    let range: Range<ImageOffset>
    /// Its rows, as indices into ``LineProgram/rows``.
    let rows: Range<Int>
}

/// A line program, run (DWARF 5, 6.2).
///
/// Of rows with one address the last counts, and rows that repeat their predecessor are left out.
/// Sequences of code that the linker dropped are left out whole, and so are those that run
/// backwards.
struct LineProgram {
    private(set) var header: LineProgramHeader
    private(set) var rows: [ProgramRow] = []
    private(set) var sequences: [LineSequence] = []
    /// How many sequences run backwards or have no end.
    private(set) var sequencesDropped = 0

    private var registers = Registers()
    private var sequenceStart = 0
    private var runsBackwards = false
    private let code: CodeLayout
    private let rowsLimit: Int

    /// The most rows that one program may have: more than any unit of real code.
    static let rowsLimit = 1 << 26

    private struct Registers {
        var address: UInt64 = 0
        var operation: UInt64 = 0
        var file: UInt64 = 1
        var line: UInt32 = 1
        var column: UInt64 = 0
    }

    init(
        _ header: LineProgramHeader, in sections: DwarfSections, code: CodeLayout,
        rowsLimit: Int = Self.rowsLimit
    ) throws(ReadingError) {
        self.header = header
        self.code = code
        self.rowsLimit = rowsLimit
        let bytes = try sections.bytes(.line).slice(
            at: 0, count: header.program.upperBound, subject: DwarfSections.Name.line.rawValue)
        var cursor = ByteCursor(
            bytes, at: header.program.lowerBound, bigEndian: sections.isBigEndian)
        while !cursor.isAtEnd {
            try step(&cursor)
        }
        if rows.count > sequenceStart {
            dropSequence()
            sequencesDropped += 1
        }
    }

    private mutating func step(_ cursor: inout ByteCursor) throws(ReadingError) {
        let opcode = try cursor.number(UInt8.self)
        if opcode >= header.opcodeBase {
            try special(UInt64(opcode - header.opcodeBase), at: cursor.offset)
        } else if opcode == 0 {
            try extended(&cursor)
        } else {
            try standard(opcode, &cursor)
        }
    }

    /// Advances address and line together and emits a row (6.2.5.1).
    private mutating func special(_ opcode: UInt64, at place: UInt64) throws(ReadingError) {
        advance(by: opcode / header.lineRange)
        let lines = header.lineBase + Int64(opcode % header.lineRange)
        registers.line &+= UInt32(truncatingIfNeeded: lines)
        try emit(at: place)
    }

    private mutating func advance(by operations: UInt64) {
        guard header.maximumOperations > 1 else {
            registers.address &+= header.minimumInstructionLength &* operations
            return
        }
        let total = registers.operation &+ operations
        registers.address &+=
            header.minimumInstructionLength &* (total / header.maximumOperations)
        registers.operation = total % header.maximumOperations
    }

    private mutating func standard(
        _ opcode: UInt8, _ cursor: inout ByteCursor
    ) throws(ReadingError) {
        switch Int32(opcode) {
        case DW_LNS_copy: try emit(at: cursor.offset)
        case DW_LNS_advance_pc: advance(by: try cursor.uleb128())
        case DW_LNS_advance_line:
            registers.line &+= UInt32(truncatingIfNeeded: try cursor.sleb128())
        case DW_LNS_set_file: registers.file = try cursor.uleb128()
        case DW_LNS_set_column: registers.column = try cursor.uleb128()
        case DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_prologue_end,
            DW_LNS_set_epilogue_begin:
            break
        case DW_LNS_const_add_pc:
            advance(by: UInt64(255 - header.opcodeBase) / header.lineRange)
        case DW_LNS_fixed_advance_pc:
            registers.address &+= UInt64(try cursor.number(UInt16.self))
            registers.operation = 0
        default:
            for _ in 0..<header.operandCounts[Int(opcode) - 1] { _ = try cursor.uleb128() }
        }
    }

    private mutating func extended(_ cursor: inout ByteCursor) throws(ReadingError) {
        let size = try cursor.uleb128()
        try cursor.bytes.check(size, at: cursor.offset)
        let end = cursor.offset + size
        guard size > 0 else { return }
        switch Int32(try cursor.number(UInt8.self)) {
        case DW_LNE_end_sequence: endSequence()
        case DW_LNE_set_address:
            registers.address = try cursor.unsigned(size: Int(min(size - 1, 9)))
            registers.operation = 0
        case DW_LNE_define_file where header.version < 5:
            if let file = try LineProgramHeader.file(from: &cursor, before: end) {
                header.add(file)
            }
        default: break
        }
        try cursor.jump(to: end)
    }

    private mutating func emit(at place: UInt64) throws(ReadingError) {
        let row = ProgramRow(
            address: registers.address, file: UInt32(exactly: registers.file) ?? .max,
            line: registers.line, column: UInt32(exactly: registers.column) ?? 0)
        guard rows.count > sequenceStart, let last = rows.last else {
            return rows.append(row)
        }
        if row.address < last.address { runsBackwards = true }
        if row.address == last.address {
            rows.removeLast()
            if rows.count > sequenceStart, let before = rows.last, before.saysTheSame(as: row) {
                return
            }
        } else if last.saysTheSame(as: row) {
            return
        }
        guard rows.count < rowsLimit else {
            throw ReadingError(
                .malformed("line table has more than \(rowsLimit) rows"),
                in: DwarfSections.Name.line.rawValue, at: place)
        }
        rows.append(row)
    }

    private mutating func endSequence() {
        let start = rows.count > sequenceStart ? rows[sequenceStart].address : 0
        let lastAddress = rows.last.map(\.address) ?? 0
        if rows.count > sequenceStart, runsBackwards || lastAddress > registers.address {
            dropSequence()
            sequencesDropped += 1
        } else if rows.count > sequenceStart,
            let range = code.codeRange(from: start, to: registers.address)
        {
            sequences.append(LineSequence(range: range, rows: sequenceStart..<rows.count))
        } else {
            dropSequence()
        }
        registers = Registers()
        sequenceStart = rows.count
        runsBackwards = false
    }

    private mutating func dropSequence() {
        rows.removeSubrange(sequenceStart...)
    }
}
