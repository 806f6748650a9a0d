/// The registers of a line program (DWARF 5, 6.2.2), without unused flags.
struct LineRegisters {
    private(set) var address: UInt64 = 0
    private var operation: UInt64 = 0
    /// The file's number. Numbers that do not fit mean no file.
    var file: UInt32 = 1
    var line: UInt32 = 1
    /// The column, or 0 for none and for columns that do not fit.
    var column: UInt32 = 0

    /// The row for the code at ``address``.
    @inline(__always)
    var row: ProgramRow {
        ProgramRow(address: address, file: file, line: line, column: column)
    }

    @inline(__always)
    mutating func jump(to address: UInt64) {
        self.address = address
        operation = 0
    }

    @inline(__always)
    mutating func advance(by operations: UInt64, opcodes: borrowing LineOpcodes) {
        guard opcodes.maximumOperations > 1 else {
            address &+= opcodes.minimumInstructionLength &* operations
            return
        }
        let total = operation &+ operations
        address &+= opcodes.minimumInstructionLength &* (total / opcodes.maximumOperations)
        operation = total % opcodes.maximumOperations
    }

    /// Advances the address and the line together, as special opcodes do (6.2.5.1).
    @inline(__always)
    mutating func step(_ step: LineOpcodes.Step, opcodes: borrowing LineOpcodes) {
        advance(by: step.operations, opcodes: opcodes)
        line &+= step.lines
    }
}

/// The precomputed effects of the opcodes of one line program, so that the loop over them needs no
/// division.
struct LineOpcodes {
    /// The advances of a special opcode.
    struct Step {
        let operations: UInt64
        let lines: UInt32
    }

    /// The first special opcode.
    let firstSpecial: UInt8
    /// The advance of `DW_LNS_const_add_pc`, equal to that of the last special opcode.
    let constantAdvance: UInt64
    let minimumInstructionLength: UInt64
    let maximumOperations: UInt64
    private let steps: [Step]

    init(_ header: LineProgramHeader) {
        firstSpecial = header.opcodeBase
        constantAdvance = UInt64(255 - header.opcodeBase) / header.lineRange
        minimumInstructionLength = header.minimumInstructionLength
        maximumOperations = header.maximumOperations
        steps = (0...255 - header.opcodeBase).map { opcode in
            let lines = header.lineBase + Int64(UInt64(opcode) % header.lineRange)
            return Step(
                operations: UInt64(opcode) / header.lineRange,
                lines: UInt32(truncatingIfNeeded: lines))
        }
    }

    /// - Parameter opcode: At least ``firstSpecial``.
    @inline(__always)
    subscript(opcode: UInt8) -> Step { steps[Int(opcode &- firstSpecial)] }
}
