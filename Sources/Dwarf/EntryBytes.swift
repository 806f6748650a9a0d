import ByteReading
import CLibDwarf

/// The bytes of one unit, for the walk over its entries.
///
/// This is where most of the time of a file goes, so numbers are read through a pointer. Every
/// method checks the end of the unit once per step; offsets are from the start of `.debug_info`.
/// Where a value leaves the unit the result is `nil` or false.
@safe
struct EntryBytes {
    private let start: UnsafeRawPointer
    /// The end of the unit.
    let end: Int
    private let format: FormShape.Format

    /// The longest LEB128 number that is read, in bytes.
    private static let lebLimit = 16

    /// - Parameter info: Must outlive this, and hold the unit.
    @unsafe
    init(_ info: FileBytes, unit: UnitHeader) {
        precondition(unit.end <= UInt64(info.count), "unit leaves the section")
        unsafe start = info.withUnsafeBytes { $0.baseAddress! }
        end = Int(unit.end)
        format = FormShape.Format(unit)
    }

    /// An unsigned LEB128 number.
    @inline(__always)
    func uleb128(at position: inout Int) -> UInt64? {
        guard position < end else { return nil }
        let byte = unsafe start.load(fromByteOffset: position, as: UInt8.self)
        position &+= 1
        return byte < 0x80 ? UInt64(byte) : longULEB128(first: byte, at: &position)
    }

    private func longULEB128(first: UInt8, at position: inout Int) -> UInt64? {
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        let limit = min(end, position &+ Self.lebLimit &- 1)
        while position < limit {
            let byte = unsafe start.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            let bits = UInt64(byte & 0x7f)
            if shift < 64 {
                if shift > 57, bits >> (64 &- shift) != 0 { return nil }
                value |= bits << shift
            } else if bits != 0 {
                return nil
            }
            if byte < 0x80 { return value }
            shift &+= 7
        }
        return nil
    }

    /// A signed LEB128 number; bits beyond the 64th are ignored.
    private func sleb128(at position: inout Int) -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        let limit = min(end, position &+ Self.lebLimit)
        while position < limit {
            let byte = unsafe start.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
            shift &+= 7
            if byte < 0x80 {
                if shift < 64, byte & 0x40 != 0 { value |= ~UInt64(0) << shift }
                return Int64(bitPattern: value)
            }
        }
        return nil
    }

    /// A number of `size` bytes; 0 for sizes that no number has.
    @inline(__always)
    private func number(size: Int, at position: inout Int) -> UInt64? {
        guard size <= end &- position else { return nil }
        let place = position
        position &+= size
        switch size {
        case 1: return UInt64(unsafe start.load(fromByteOffset: place, as: UInt8.self))
        case 2:
            return UInt64(
                UInt16(
                    littleEndian: unsafe start.loadUnaligned(
                        fromByteOffset: place, as: UInt16.self)))
        case 3:
            let low = unsafe start.loadUnaligned(fromByteOffset: place, as: UInt16.self)
            let high = unsafe start.load(fromByteOffset: place &+ 2, as: UInt8.self)
            return UInt64(UInt16(littleEndian: low)) | UInt64(high) << 16
        case 4:
            return UInt64(
                UInt32(
                    littleEndian: unsafe start.loadUnaligned(
                        fromByteOffset: place, as: UInt32.self)))
        case 8:
            return UInt64(
                littleEndian: unsafe start.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        default: return 0
        }
    }

    /// Steps over the values of an entry.
    @inline(__always)
    func skip(
        _ program: AbbreviationProgram, of programs: AbbreviationPrograms, at position: inout Int
    ) -> Bool {
        if program.fixedSize >= 0 { return skip(program.fixedSize, at: &position) }
        for index in program.steps {
            guard skip(unsafe programs.steps[index], at: &position) else { return false }
        }
        return true
    }

    @inline(__always)
    private func skip(_ count: Int, at position: inout Int) -> Bool {
        guard count <= end &- position else { return false }
        position &+= count
        return true
    }

    @inline(__always)
    private func skip(_ shape: FormShape, at position: inout Int) -> Bool {
        switch shape.extent {
        case .fixed: return skip(shape.size, at: &position)
        case .leb128: return skipLEB128(at: &position)
        case .block1, .block2, .block4, .blockLEB128: return skipBlock(shape.extent, at: &position)
        case .text: return skipText(at: &position)
        case .indirect: return skipIndirect(at: &position)
        }
    }

    @inline(__always)
    private func skipLEB128(at position: inout Int) -> Bool {
        let limit = min(end, position &+ Self.lebLimit)
        while position < limit {
            let byte = unsafe start.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            if byte < 0x80 { return true }
        }
        return false
    }

    @inline(__always)
    private func skipBlock(_ extent: FormShape.Extent, at position: inout Int) -> Bool {
        let size: UInt64? =
            switch extent {
            case .block1: number(size: 1, at: &position)
            case .block2: number(size: 2, at: &position)
            case .block4: number(size: 4, at: &position)
            default: uleb128(at: &position)
            }
        guard let size, size <= UInt64(end &- position) else { return false }
        position &+= Int(size)
        return true
    }

    private func skipText(at position: inout Int) -> Bool {
        while position < end {
            let byte = unsafe start.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            if byte == 0 { return true }
        }
        return false
    }

    private func skipIndirect(at position: inout Int) -> Bool {
        guard let found = indirectForm(at: &position) else { return false }
        return skip(found.shape, at: &position)
    }

    /// The form that stands before its value. It may be any but a constant of the abbreviation,
    /// which has said that the form is here, and another such.
    private func indirectForm(at position: inout Int) -> (form: UInt16, shape: FormShape)? {
        guard let form = uleb128(at: &position), form != UInt64(DW_FORM_implicit_const),
            let shape = FormShape(of: form, in: format), shape.extent != .indirect
        else { return nil }
        return (UInt16(truncatingIfNeeded: form), shape)
    }

    /// Reads the value of one step, or steps over it.
    ///
    /// - Returns: The form, behind an indirect one, and the value: a number, the place of a text,
    ///   or 0 for a block.
    @inline(__always)
    func value(of step: ReadStep, at position: inout Int) -> (form: UInt16, value: UInt64)? {
        var form = step.form
        var shape = step.shape
        if shape.extent == .indirect {
            guard let found = indirectForm(at: &position) else { return nil }
            (form, shape) = found
        }
        switch shape.extent {
        case .fixed:
            if Int32(form) == DW_FORM_implicit_const {
                return (form, UInt64(bitPattern: step.constant))
            }
            return number(size: shape.size, at: &position).map { (form, $0) }
        case .leb128:
            if Int32(form) == DW_FORM_sdata {
                return sleb128(at: &position).map { (form, UInt64(bitPattern: $0)) }
            }
            return uleb128(at: &position).map { (form, $0) }
        default:
            let place = UInt64(position)
            return skip(shape, at: &position) ? (form, place) : nil
        }
    }
}
