import ByteReading
import CLibDwarf
import CallStacks

/// Rows with ascending addresses, up to an end.
struct LineSequence: Hashable {
    /// The covered code.
    let range: Range<ImageOffset>
    /// The rows, as indices into ``LineProgram/rows``.
    let rows: Range<Int>
}

/// The result of a line program (DWARF 5, 6.2).
///
/// Of several rows with the same address, only the last one is kept, and rows equal to their
/// predecessor are dropped. Sequences of code that the linker dropped, and sequences with
/// descending addresses, are dropped too.
struct LineProgram {
    private(set) var header: LineProgramHeader
    private var emitted: ProgramRows
    private(set) var sequences: [LineSequence] = []
    /// The number of sequences of code with descending addresses or without an end.
    private(set) var sequencesDropped = 0
    /// The files of the rows, without consecutive repetitions.
    private(set) var filesNamed: [UInt32] = []

    /// The last row emitted. Another one for the same address may follow.
    private var pending: ProgramRow?
    /// The first and the last kept row of the current sequence.
    private var firstKept = ProgramRow.none
    private var lastKept: ProgramRow?
    private var lastFile: UInt32?
    private var sequenceStart = 0
    private var runsBackwards = false
    private let code: CodeLayout
    private let rowsLimit: Int
    private let section: FileBytes

    /// The maximum number of rows of one program, more than any unit of real code has.
    static let rowsLimit = 1 << 26

    /// - Parameter storage: An empty list for the rows.
    init(
        _ header: LineProgramHeader, in sections: DwarfSections, code: CodeLayout,
        rowsLimit: Int = Self.rowsLimit, storage: consuming [ProgramRow] = []
    ) throws(ReadingError) {
        emitted = ProgramRows(storage: storage)
        self.header = header
        self.code = code
        self.rowsLimit = rowsLimit
        section = sections.bytes(.line)
        try section.check(0, at: header.program.upperBound)
        // Programs of real code need two to three bytes per row.
        emitted.reserve(min(Int(header.program.count) / 3, rowsLimit))
        let bytes = unsafe MappedBytes(
            section, end: header.program.upperBound, isBigEndian: sections.isBigEndian)
        try run(bytes)
        if let last = pending {
            dropDamagedSequence(from: lastKept == nil ? last.address : firstKept.address)
        }
        emitted.finish()
    }

    /// The rows of all ``sequences``.
    var rows: [ProgramRow] { emitted.list }

    /// Empties the list of rows and returns its storage.
    mutating func takeRows() -> [ProgramRow] { emitted.takeStorage() }

    private mutating func run(_ bytes: MappedBytes) throws(ReadingError) {
        let opcodes = LineOpcodes(header)
        // A local copy stays in the processor's registers.
        var registers = LineRegisters()
        var position = Int(header.program.lowerBound)
        while let opcode = bytes.byte(at: &position) {
            let opcodeStart = position &- 1
            if opcode >= opcodes.firstSpecial {
                registers.step(opcodes[opcode], opcodes: opcodes)
                try emit(registers.row, at: opcodeStart)
                continue
            }
            switch Int32(opcode) {
            case 0:
                let (effect, end) = try extended(bytes, at: position)
                position = end
                switch effect {
                case .none: break
                case .address(let address): registers.jump(to: address)
                case .endOfSequence:
                    try endSequence(before: registers.address, at: opcodeStart)
                    registers = LineRegisters()
                }
            case DW_LNS_copy: try emit(registers.row, at: opcodeStart)
            default:
                guard registers.apply(opcode, bytes, at: &position, opcodes: opcodes)
                else { throw leaves(opcodeStart) }
            }
        }
    }

    /// The remaining effect of an extended opcode.
    private enum ExtendedEffect {
        case none, endOfSequence
        case address(UInt64)
    }

    /// - Parameter start: The position after the opcode.
    private mutating func extended(
        _ bytes: MappedBytes, at start: Int
    ) throws(ReadingError) -> (ExtendedEffect, end: Int) {
        let opcodeStart = start - 1
        var position = start
        guard let size = bytes.uleb128(at: &position), size <= UInt64(bytes.end - position)
        else { throw leaves(opcodeStart) }
        let end = position + Int(size)
        guard size > 0, let opcode = bytes.byte(at: &position) else { return (.none, end) }
        switch Int32(opcode) {
        case DW_LNE_end_sequence: return (.endOfSequence, end)
        case DW_LNE_set_address:
            guard [1, 2, 3, 4, 8].contains(end - position),
                let address = bytes.number(size: end - position, at: &position)
            else {
                throw ReadingError(
                    .malformed("no address has \(end - position) bytes"), in: section.subject,
                    at: UInt64(opcodeStart))
            }
            return (.address(address), end)
        case DW_LNE_define_file where header.version < 5:
            var cursor = ByteCursor(section, at: UInt64(position), bigEndian: bytes.isBigEndian)
            if let file = try LineProgramHeader.file(from: &cursor, before: UInt64(end)) {
                header.add(file)
            }
            return (.none, end)
        default: return (.none, end)
        }
    }

    private func leaves(_ position: Int) -> ReadingError {
        ReadingError(
            .malformed("opcode leaves the line table"), in: section.subject, at: UInt64(position))
    }
}

extension LineProgram {
    /// Adds a row, and replaces a previous one at the same address.
    @inline(__always)
    private mutating func emit(_ row: ProgramRow, at position: Int) throws(ReadingError) {
        guard let last = pending else {
            pending = row
            return
        }
        if row.address != last.address {
            if row.address < last.address { runsBackwards = true }
            if row.hasSameSource(as: last) { return }
            try keep(last, at: position)
        }
        pending = row
    }

    /// Appends a row that was not replaced.
    @inline(__always)
    private mutating func keep(_ row: ProgramRow, at position: Int) throws(ReadingError) {
        if let lastKept {
            if lastKept.hasSameSource(as: row) { return }
        } else {
            firstKept = row
        }
        guard emitted.count < rowsLimit else {
            throw ReadingError(
                .malformed("line table has more than \(rowsLimit) rows"), in: section.subject,
                at: UInt64(position))
        }
        if lastFile != row.file {
            filesNamed.append(row.file)
            lastFile = row.file
        }
        emitted.append(row)
        lastKept = row
    }

    private mutating func endSequence(
        before end: UInt64, at position: Int
    ) throws(ReadingError) {
        if let last = pending {
            try keep(last, at: position)
            let start = firstKept.address
            if runsBackwards || last.address > end {
                dropDamagedSequence(from: start)
            } else if let range = code.codeRange(from: start, to: end) {
                sequences.append(LineSequence(range: range, rows: sequenceStart..<emitted.count))
            } else {
                dropSequence()
            }
        }
        pending = nil
        lastKept = nil
        sequenceStart = emitted.count
        runsBackwards = false
    }

    /// Drops a sequence that starts at `start`, and counts it if code is there. Linkers move the
    /// sequences of functions that they drop to the last addresses, where they wrap around.
    private mutating func dropDamagedSequence(from start: UInt64) {
        if code.containsCode(at: start) { sequencesDropped += 1 }
        dropSequence()
    }

    private mutating func dropSequence() { emitted.cut(to: sequenceStart) }
}
