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
    /// The last row that was emitted: one for the same address may follow.
    private var pending: ProgramRow?
    private var sequenceStart = 0
    private var runsBackwards = false
    private let code: CodeLayout
    private let rowsLimit: Int
    private let section: FileBytes

    /// The most rows that one program may have: more than any unit of real code.
    static let rowsLimit = 1 << 26

    private struct Registers {
        var address: UInt64 = 0
        var operation: UInt64 = 0
        var file: UInt64 = 1
        var line: UInt32 = 1
        var column: UInt64 = 0

        var row: ProgramRow {
            ProgramRow(
                address: address, file: file > UInt64(UInt32.max) ? .max : UInt32(file),
                line: line, column: column > UInt64(UInt32.max) ? 0 : UInt32(column))
        }
    }

    init(
        _ header: LineProgramHeader, in sections: DwarfSections, code: CodeLayout,
        rowsLimit: Int = Self.rowsLimit
    ) throws(ReadingError) {
        self.header = header
        self.code = code
        self.rowsLimit = rowsLimit
        section = sections.bytes(.line)
        try section.check(0, at: header.program.upperBound)
        // Programs of real code need two to three bytes a row.
        rows.reserveCapacity(min(Int(header.program.count) / 3, rowsLimit))
        let bytes = unsafe MappedBytes(
            section, end: header.program.upperBound, isBigEndian: sections.isBigEndian)
        try run(bytes)
        if pending != nil || rows.count > sequenceStart {
            dropSequence()
            sequencesDropped += 1
        }
    }

    private mutating func run(_ bytes: MappedBytes) throws(ReadingError) {
        let steps = SpecialOpcodes(header)
        var position = Int(header.program.lowerBound)
        while let opcode = bytes.byte(at: &position) {
            let place = position &- 1
            if opcode >= steps.first {
                // Advances address and line together and emits a row (6.2.5.1).
                let step = steps[opcode]
                advance(by: step.operations)
                registers.line &+= step.lines
                try emit(at: place)
            } else if opcode == 0 {
                try extended(bytes, &position)
            } else if try !standard(opcode, bytes, &position) {
                throw leaves(place)
            }
        }
    }

    @inline(__always)
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

    /// - Returns: Whether its operands lie inside the program.
    @inline(__always)
    private mutating func standard(
        _ opcode: UInt8, _ bytes: MappedBytes, _ position: inout Int
    ) throws(ReadingError) -> Bool {
        switch Int32(opcode) {
        case DW_LNS_copy: try emit(at: position)
        case DW_LNS_advance_pc:
            guard let count = bytes.uleb128(at: &position) else { return false }
            advance(by: count)
        case DW_LNS_advance_line:
            guard let lines = bytes.sleb128(at: &position) else { return false }
            registers.line &+= UInt32(truncatingIfNeeded: lines)
        case DW_LNS_set_file:
            guard let file = bytes.uleb128(at: &position) else { return false }
            registers.file = file
        case DW_LNS_set_column:
            guard let column = bytes.uleb128(at: &position) else { return false }
            registers.column = column
        case DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_prologue_end,
            DW_LNS_set_epilogue_begin:
            break
        case DW_LNS_const_add_pc:
            advance(by: UInt64(255 &- header.opcodeBase) / header.lineRange)
        case DW_LNS_fixed_advance_pc:
            guard let count = bytes.number(size: 2, at: &position) else { return false }
            registers.address &+= count
            registers.operation = 0
        default:
            for _ in 0..<header.operandCounts[Int(opcode) - 1] {
                guard bytes.uleb128(at: &position) != nil else { return false }
            }
        }
        return true
    }

    private mutating func extended(
        _ bytes: MappedBytes, _ position: inout Int
    ) throws(ReadingError) {
        let place = position - 1
        guard let size = bytes.uleb128(at: &position), size <= UInt64(bytes.end - position)
        else { throw leaves(place) }
        let end = position + Int(size)
        guard size > 0, let opcode = bytes.byte(at: &position) else { return }
        switch Int32(opcode) {
        case DW_LNE_end_sequence: try endSequence(at: place)
        case DW_LNE_set_address:
            let size = end - position
            guard [1, 2, 3, 4, 8].contains(size),
                let address = bytes.number(size: size, at: &position)
            else {
                throw ReadingError(
                    .malformed("no address has \(size) bytes"), in: section.subject,
                    at: UInt64(place))
            }
            registers.address = address
            registers.operation = 0
        case DW_LNE_define_file where header.version < 5:
            var cursor = ByteCursor(section, at: UInt64(position), bigEndian: bytes.isBigEndian)
            if let file = try LineProgramHeader.file(from: &cursor, before: UInt64(end)) {
                header.add(file)
            }
        default: break
        }
        position = end
    }

    private func leaves(_ place: Int) -> ReadingError {
        ReadingError(
            .malformed("opcode leaves the line table"), in: section.subject, at: UInt64(place))
    }
}

extension LineProgram {
    /// Notes a row. What stood at the same address before is replaced by it.
    @inline(__always)
    private mutating func emit(at place: Int) throws(ReadingError) {
        let row = registers.row
        guard let last = pending else {
            pending = row
            return
        }
        if row.address != last.address {
            if row.address < last.address { runsBackwards = true }
            if row.saysTheSame(as: last) { return }
            try keep(last, at: place)
        }
        pending = row
    }

    /// Appends a row that no other one replaced.
    @inline(__always)
    private mutating func keep(_ row: ProgramRow, at place: Int) throws(ReadingError) {
        if rows.count > sequenceStart, rows[rows.count &- 1].saysTheSame(as: row) { return }
        guard rows.count < rowsLimit else {
            throw ReadingError(
                .malformed("line table has more than \(rowsLimit) rows"), in: section.subject,
                at: UInt64(place))
        }
        rows.append(row)
    }

    private mutating func endSequence(at place: Int) throws(ReadingError) {
        if let last = pending {
            try keep(last, at: place)
            let start = rows[sequenceStart].address
            if runsBackwards || last.address > registers.address {
                dropSequence()
                sequencesDropped += 1
            } else if let range = code.codeRange(from: start, to: registers.address) {
                sequences.append(LineSequence(range: range, rows: sequenceStart..<rows.count))
            } else {
                dropSequence()
            }
        }
        pending = nil
        registers = Registers()
        sequenceStart = rows.count
        runsBackwards = false
    }

    private mutating func dropSequence() {
        rows.removeSubrange(sequenceStart...)
    }
}

/// What each special opcode adds, so that the loop over opcodes need not divide.
private struct SpecialOpcodes {
    struct Step {
        let operations: UInt64
        let lines: UInt32
    }

    /// The first opcode that is special.
    let first: UInt8
    private let steps: [Step]

    init(_ header: LineProgramHeader) {
        first = header.opcodeBase
        steps = (0...255 - header.opcodeBase).map { opcode in
            let lines = header.lineBase + Int64(UInt64(opcode) % header.lineRange)
            return Step(
                operations: UInt64(opcode) / header.lineRange,
                lines: UInt32(truncatingIfNeeded: lines))
        }
    }

    /// - Parameter opcode: At least ``first``.
    @inline(__always)
    subscript(opcode: UInt8) -> Step { steps[Int(opcode &- first)] }
}
