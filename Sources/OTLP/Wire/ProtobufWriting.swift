import ByteReading

extension [UInt8] {
    /// Appends the tag and the length of a field with a length.
    mutating func appendHead(field: UInt8, count: Int) {
        append(field << 3 | 2)
        append(uleb128: UInt64(count))
    }
}

/// The size of a field with a length, with its tag of one byte.
///
/// - Parameter count: The size of its content.
func fieldSize(count: Int) -> Int { headSize(count: count) + count }

/// The size of the tag and the length of such a field.
func headSize(count: Int) -> Int { 1 + varintSize(UInt64(count)) }

func varintSize(_ value: UInt64) -> Int { (63 - (value | 1).leadingZeroBitCount) / 7 + 1 }
