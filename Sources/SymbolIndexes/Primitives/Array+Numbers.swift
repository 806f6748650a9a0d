extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    mutating func append(littleEndian number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<(number.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Overwrites existing bytes, starting at `position`.
    mutating func put(_ number: some FixedWidthInteger, at position: Int) {
        var rest = number
        for index in 0..<(number.bitWidth / 8) {
            self[position + index] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
    }
}

/// Zigzag encoding, which maps signed numbers to unsigned ones of about the same size: 0, −1, 1,
/// −2, 2, …
enum Zigzag {
    static func folded(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

    static func unfolded(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}

extension FixedWidthInteger {
    /// The number of bits needed for the number, 0 for 0.
    var bitsNeeded: Int { Self.bitWidth - leadingZeroBitCount }
}
