// Numbers in groups of 7 bits, least significant first. The highest bit of a byte is set if another
// byte follows.

extension [UInt8] {
    mutating func append(inGroups number: UInt64) {
        var rest = number
        while rest > 0x7f {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the start, or returns `nil` if the bytes do not start with one.
    mutating func popNumberInGroups() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << UInt64(shift)
            if byte & 0x80 == 0 { return number }
        }
        return nil
    }
}
