import CLibDwarf

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

    /// Applies a standard opcode that emits no row (6.2.5.2), or skips the operands of an unknown
    /// one.
    ///
    /// - Returns: `false` if its operands exceed the bytes.
    @inline(__always)
    mutating func apply(
        _ opcode: UInt8, _ bytes: MappedBytes, at position: inout Int,
        opcodes: borrowing LineOpcodes
    ) -> Bool {
        switch Int32(opcode) {
        case DW_LNS_advance_pc:
            guard let count = bytes.uleb128(at: &position) else { return false }
            advance(by: count, opcodes: opcodes)
        case DW_LNS_advance_line:
            guard let lines = bytes.sleb128(at: &position) else { return false }
            line &+= UInt32(truncatingIfNeeded: lines)
        case DW_LNS_set_file:
            guard let number = bytes.uleb128(at: &position) else { return false }
            file = UInt32(truncatingIfNeeded: min(number, UInt64(UInt32.max)))
        case DW_LNS_set_column:
            guard let number = bytes.uleb128(at: &position) else { return false }
            column = number > UInt64(UInt32.max) ? 0 : UInt32(number)
        case DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_prologue_end,
            DW_LNS_set_epilogue_begin:
            break
        case DW_LNS_const_add_pc: advance(by: opcodes.constantAdvance, opcodes: opcodes)
        case DW_LNS_fixed_advance_pc:
            guard let count = bytes.number(size: 2, at: &position) else { return false }
            jump(to: address &+ count)
        default:
            for _ in 0..<opcodes.operandCount(of: opcode) {
                guard bytes.uleb128(at: &position) != nil else { return false }
            }
        }
        return true
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
    /// The numbers of operands of the standard opcodes, from opcode 1 on.
    private let operandCounts: [UInt8]

    init(_ header: LineProgramHeader) {
        firstSpecial = header.opcodeBase
        constantAdvance = UInt64(255 - header.opcodeBase) / header.lineRange
        minimumInstructionLength = header.minimumInstructionLength
        maximumOperations = header.maximumOperations
        operandCounts = header.operandCounts
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

    /// - Parameter opcode: Below ``firstSpecial``, and not 0.
    @inline(__always)
    func operandCount(of opcode: UInt8) -> UInt8 { operandCounts[Int(opcode) - 1] }
}
