extension [UInt8] {
    /// Appends the tag and the length of a field with a length.
    mutating func appendHead(field: UInt8, count: Int) {
        append(field << 3 | 2)
        appendVarint(UInt64(count))
    }

    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

/// The size of a field with a length, with its tag of one byte.
///
/// - Parameter count: The size of its content.
func fieldSize(count: Int) -> Int { headSize(count: count) + count }

/// The size of the tag and the length of such a field.
func headSize(count: Int) -> Int { 1 + varintSize(UInt64(count)) }

func varintSize(_ value: UInt64) -> Int { (63 - (value | 1).leadingZeroBitCount) / 7 + 1 }
