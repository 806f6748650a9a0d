import ByteReading

/// The bytes of a section up to an end, for the loops in which most of the time is spent.
///
/// Numbers are read through a pointer, and every method checks the end once per step. If a value
/// exceeds the bytes, the result is `nil` or `false`. Positions are relative to the section. The
/// section is not kept alive; its owner must outlive this.
@safe
struct MappedBytes {
    private let start: UnsafeRawPointer
    /// The end of the readable bytes.
    let end: Int
    let isBigEndian: Bool

    /// The maximum length of a LEB128 number of 64 bits, in bytes.
    private static let lebLimit = 10

    /// - Parameters:
    ///   - section: The section, which must outlive this.
    ///   - end: At most the end of the section.
    @unsafe
    init(_ section: FileBytes, end: UInt64, isBigEndian: Bool = false) {
        precondition(end <= UInt64(section.count), "the end leaves the section")
        unsafe start = section.withUnsafeBytes { bytes in
            // An empty section has no address, and is never read.
            unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        }
        self.end = Int(end)
        self.isBigEndian = isBigEndian
    }

    @inline(__always)
    func byte(at position: inout Int) -> UInt8? {
        guard position < end else { return nil }
        let byte = unsafe start.load(fromByteOffset: position, as: UInt8.self)
        position &+= 1
        return byte
    }

    /// Reads an unsigned LEB128 number (DWARF 5, 7.6). Bits beyond the 64th are ignored.
    ///
    /// The same as in `ByteCursor`, without errors, because walks over entries spend their time
    /// here.
    @inline(__always)
    func uleb128(at position: inout Int) -> UInt64? {
        guard let first = byte(at: &position) else { return nil }
        if first < 0x80 { return UInt64(first) }
        // Two bytes are common enough for the fast path: abbreviation codes and distances in range
        // lists often exceed 127.
        if position < end {
            let second = unsafe start.load(fromByteOffset: position, as: UInt8.self)
            if second < 0x80 {
                position &+= 1
                return UInt64(first & 0x7f) | UInt64(second) &<< 7
            }
        }
        guard let long = longULEB128(first: first, at: position) else { return nil }
        position = long.end
        return long.value
    }

    /// - Returns: The value and its end. An `inout` position could not stay in a register.
    private func longULEB128(first: UInt8, at start: Int) -> (value: UInt64, end: Int)? {
        var position = start
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        let limit = position &+ Self.lebLimit &- 1
        while position < limit, let byte = byte(at: &position) {
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return (value, position) }
            shift &+= 7
        }
        return nil
    }

    /// Reads a signed LEB128 number. Bits beyond the 64th are ignored.
    @inline(__always)
    func sleb128(at position: inout Int) -> Int64? {
        let first = position
        guard let byte = byte(at: &position) else { return nil }
        if byte < 0x80 { return Int64(Int8(bitPattern: byte &<< 1) &>> 1) }
        guard let long = longSLEB128(at: first) else { return nil }
        position = long.end
        return long.value
    }

    private func longSLEB128(at start: Int) -> (value: Int64, end: Int)? {
        var position = start
        var value: UInt64 = 0
        var shift: UInt64 = 0
        let limit = position &+ Self.lebLimit
        while position < limit, let byte = byte(at: &position) {
            value |= UInt64(byte & 0x7f) &<< shift
            shift &+= 7
            if byte < 0x80 {
                if shift < 64, byte & 0x40 != 0 { value |= ~UInt64(0) &<< shift }
                return (Int64(bitPattern: value), position)
            }
        }
        return nil
    }

    /// Reads a number of up to eight bytes. Other sizes result in 0.
    @inline(__always)
    func number(size: Int, at position: inout Int) -> UInt64? {
        guard size <= end &- position else { return nil }
        let offset = position
        position &+= size
        // Reads eight bytes and shifts out the excess, because branches on the size would be
        // mispredicted.
        guard !isBigEndian, 1...8 ~= size, end &- offset >= 8 else {
            return numberByBytes(size: size, at: offset)
        }
        let word = unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let unused = UInt64(truncatingIfNeeded: 64 &- 8 &* size)
        return (UInt64(littleEndian: word) &<< unused) &>> unused
    }

    private func numberByBytes(size: Int, at offset: Int) -> UInt64 {
        guard size <= 8 else { return 0 }
        var number: UInt64 = 0
        for index in 0..<size {
            let nextOffset = offset &+ (isBigEndian ? index : size &- 1 &- index)
            let byte = unsafe start.load(fromByteOffset: nextOffset, as: UInt8.self)
            number = number &<< 8 | UInt64(byte)
        }
        return number
    }

    @inline(__always)
    func skip(_ count: Int, at position: inout Int) -> Bool {
        guard count <= end &- position else { return false }
        position &+= count
        return true
    }

    @inline(__always)
    func skipLEB128(at position: inout Int) -> Bool {
        let limit = position &+ Self.lebLimit
        while position < limit, let byte = byte(at: &position) {
            if byte < 0x80 { return true }
        }
        return false
    }

    /// Whether only zeros follow.
    func hasOnlyZeros(from position: Int) -> Bool {
        var position = position
        while let byte = byte(at: &position) {
            if byte != 0 { return false }
        }
        return true
    }

    /// Returns the end of a string, after its zero.
    func endOfText(at start: Int) -> Int? {
        var position = start
        while let byte = byte(at: &position) {
            if byte == 0 { return position }
        }
        return nil
    }
}
