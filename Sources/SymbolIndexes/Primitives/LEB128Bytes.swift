// LEB128 numbers (DWARF 5, 7.6) in memory that this module allocated and wrote.
//
// The loops over staged code spend their time here, so nothing is checked, unlike in `ByteReading`:
// `put` wrote the numbers that are read, and callers reserve room for the longest numbers before they
// write.

extension Span<UInt8> {
    @unsafe @inline(__always)
    func leb128(at position: inout Int) -> UInt64 {
        var byte = unsafe self[unchecked: position]
        position &+= 1
        var number = UInt64(byte & 0x7f)
        var shift: UInt64 = 7
        while byte >= 0x80 {
            byte = unsafe self[unchecked: position]
            position &+= 1
            number |= UInt64(byte & 0x7f) &<< shift
            shift &+= 7
        }
        return number
    }
}

extension MutableSpan<UInt8> {
    @unsafe @inline(__always)
    mutating func put(byte: UInt8, at position: inout Int) {
        unsafe self[unchecked: position] = byte
        position &+= 1
    }

    @unsafe @inline(__always)
    mutating func put(leb128 number: UInt64, at position: inout Int) {
        var rest = number
        while rest >= 0x80 {
            unsafe put(byte: UInt8(truncatingIfNeeded: rest) | 0x80, at: &position)
            rest >>= 7
        }
        unsafe put(byte: UInt8(truncatingIfNeeded: rest), at: &position)
    }
}
