import ByteReading
import CLibDwarf

/// The bytes of one unit, for the walk over its entries.
struct EntryBytes {
    let bytes: MappedBytes
    private let format: FormShape.Format

    /// - Parameter info: The section with the unit, which must outlive this.
    @unsafe
    init(_ info: FileBytes, unit: UnitHeader) {
        bytes = unsafe MappedBytes(info, end: unit.end)
        format = FormShape.Format(unit)
    }

    /// The end of the unit.
    var end: Int { bytes.end }

    @inline(__always)
    func uleb128(at position: inout Int) -> UInt64? { bytes.uleb128(at: &position) }

    /// Skips the values of an entry one by one. Returns `false` if they exceed the unit.
    @unsafe
    @inline(__always)
    func skip(
        _ program: UnsafePointer<AbbreviationProgram>, of programs: AbbreviationPrograms,
        at position: inout Int
    ) -> Bool {
        for index in unsafe program.pointee.steps {
            guard skip(unsafe programs.steps[index], at: &position) else { return false }
        }
        return true
    }

    @inline(__always)
    private func skip(_ shape: FormShape, at position: inout Int) -> Bool {
        switch shape.extent {
        case .fixed: return bytes.skip(shape.size, at: &position)
        case .leb128: return bytes.skipLEB128(at: &position)
        case .block1, .block2, .block4, .blockLEB128: return skipBlock(shape.extent, at: &position)
        case .text: return go(to: bytes.endOfText(at: position), position: &position)
        case .indirect: return go(to: endOfIndirect(at: position), position: &position)
        case .indexAndOffset: return bytes.skipLEB128(at: &position) && bytes.skip(4, at: &position)
        }
    }

    /// Moves to the end of a value. Returns `false` if it exceeds the unit.
    @inline(__always)
    private func go(to end: Int?, position: inout Int) -> Bool {
        guard let end else { return false }
        position = end
        return true
    }

    @inline(__always)
    private func skipBlock(_ extent: FormShape.Extent, at position: inout Int) -> Bool {
        let size: UInt64? =
            switch extent {
            case .block1: bytes.number(size: 1, at: &position)
            case .block2: bytes.number(size: 2, at: &position)
            case .block4: bytes.number(size: 4, at: &position)
            default: bytes.uleb128(at: &position)
            }
        guard let size, size <= UInt64(bytes.end &- position) else { return false }
        position &+= Int(size)
        return true
    }

    private func endOfIndirect(at start: Int) -> Int? {
        var position = start
        guard let found = indirectForm(at: &position), skip(found.shape, at: &position)
        else { return nil }
        return position
    }

    /// Reads the form before its value. It may be any form except a constant of the abbreviation,
    /// or another indirect form.
    private func indirectForm(at position: inout Int) -> (form: UInt16, shape: FormShape)? {
        guard let form = bytes.uleb128(at: &position), form != UInt64(DW_FORM_implicit_const),
            let shape = FormShape(of: form, in: format), shape.extent != .indirect
        else { return nil }
        return (UInt16(truncatingIfNeeded: form), shape)
    }

    /// Reads the requested values of an entry whose values start at `start`. Returns `false` if
    /// they exceed the unit.
    @unsafe
    @inline(__always)
    func read(
        _ program: UnsafePointer<AbbreviationProgram>, of programs: AbbreviationPrograms,
        at start: Int,
        into values: inout EntryValues
    ) -> Bool {
        var position = start
        for index in unsafe program.pointee.reads {
            guard read(unsafe programs.reads[index], at: &position, into: &values) else {
                return false
            }
        }
        return true
    }

    /// Reads or skips the value of one step. A value is a number, the position of a string, or 0
    /// for a block.
    @inline(__always)
    private func read(
        _ step: ReadStep, at position: inout Int, into values: inout EntryValues
    ) -> Bool {
        guard let slot = step.slot else { return skip(step.shape, at: &position) }
        if step.shape.extent == .fixed {
            guard let number = bytes.number(size: step.shape.size, at: &position)
            else { return false }
            let isConstant = Int32(step.form) == DW_FORM_implicit_const
            values.set(slot, form: step.form, number: isConstant ? step.constantBits : number)
            return true
        }
        return go(
            to: readVariable(step, slot: slot, at: position, into: &values), position: &position)
    }

    /// - Returns: The end of the value.
    private func readVariable(
        _ step: ReadStep, slot: EntryValues.Slot, at start: Int, into values: inout EntryValues
    ) -> Int? {
        var position = start
        var (form, shape) = (step.form, step.shape)
        if shape.extent == .indirect {
            guard let found = indirectForm(at: &position) else { return nil }
            (form, shape) = found
        }
        let value: UInt64?
        switch shape.extent {
        case .fixed: value = bytes.number(size: shape.size, at: &position)
        case .leb128 where Int32(form) == DW_FORM_sdata:
            value = bytes.sleb128(at: &position).map { UInt64(bitPattern: $0) }
        case .leb128: value = bytes.uleb128(at: &position)
        case .indexAndOffset: value = addressOffset(at: &position)?.bits
        default:
            let start = position
            guard skip(shape, at: &position) else { return nil }
            let isExpression = Int32(form) == DW_FORM_exprloc
            let place = isExpression ? addressOffset(ofExpressionAt: start) : nil
            if place != nil { form = UInt16(FormShape.addressOffsetForm) }
            value = place?.bits ?? UInt64(start)
        }
        guard let value else { return nil }
        values.set(slot, form: form, number: value)
        return position
    }

    private func addressOffset(at position: inout Int) -> AddressOffset? {
        guard let index = bytes.uleb128(at: &position).flatMap(UInt32.init(exactly:)),
            let offset = bytes.number(size: 4, at: &position)
        else { return nil }
        return AddressOffset(index: index, offset: UInt32(truncatingIfNeeded: offset))
    }

    /// Reads the expression with which LLVM writes fewer addresses: `DW_OP_addrx`,
    /// `DW_OP_const4u`, `DW_OP_plus` (DWARF 5, 2.5.1).
    ///
    /// - Returns: `nil` for any other expression.
    private func addressOffset(ofExpressionAt start: Int) -> AddressOffset? {
        var position = start
        guard let size = bytes.uleb128(at: &position), size <= UInt64(bytes.end &- position)
        else { return nil }
        let end = position &+ Int(size)
        guard bytes.number(size: 1, at: &position) == UInt64(DW_OP_addrx),
            let index = bytes.uleb128(at: &position).flatMap(UInt32.init(exactly:)),
            bytes.number(size: 1, at: &position) == UInt64(DW_OP_const4u),
            let offset = bytes.number(size: 4, at: &position),
            bytes.number(size: 1, at: &position) == UInt64(DW_OP_plus), position == end
        else { return nil }
        return AddressOffset(index: index, offset: UInt32(truncatingIfNeeded: offset))
    }
}
