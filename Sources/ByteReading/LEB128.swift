// Unsigned LEB128 numbers (DWARF 5, 7.6) in arrays. Protocol Buffers calls them varints.

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Reads a number of up to ten bytes, and moves `position` past it. Bits beyond the 64th are
    /// ignored.
    ///
    /// - Parameter end: The end of the bytes to read; at most the end of the collection.
    /// - Returns: `nil` if the number does not end before `end`.
    @inlinable
    public func uleb128(at position: inout Int, before end: Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { return nil }
            let byte = self[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the start, or returns `nil` if the bytes do not start with one.
    public mutating func popULEB128() -> UInt64? {
        var position = startIndex
        guard let number = uleb128(at: &position, before: endIndex) else { return nil }
        self = self[position...]
        return number
    }
}

extension [UInt8] {
    @inlinable
    public mutating func append(uleb128 number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
