/// The CRC-32C checksum (RFC 3720, appendix B.4), computed with sixteen tables, sixteen bytes per
/// step.
package struct CRC32C {
    private var state: UInt32 = ~0

    var value: UInt32 { ~state }

    package static func of(_ bytes: Span<UInt8>) -> UInt32 {
        var checksum = CRC32C()
        checksum.add(bytes)
        return checksum.value
    }

    mutating func add(_ bytes: Span<UInt8>) {
        let tables = Self.tables.span
        let raw = unsafe bytes.bytes
        var state = state
        var position = 0
        while bytes.count - position >= 16 {
            let first = unsafe UInt64(
                littleEndian: raw.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: position, as: UInt64.self))
            let second = unsafe UInt64(
                littleEndian: raw.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: position &+ 8, as: UInt64.self))
            // Only the first word depends on the previous step.
            state =
                Self.effect(of: second, followedBy: 0, tables: tables)
                ^ Self.effect(of: first ^ UInt64(state), followedBy: 8, tables: tables)
            position += 16
        }
        while position < bytes.count {
            state = state >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: state) ^ bytes[position])]
            position += 1
        }
        self.state = state
    }

    /// Returns the contribution of eight bytes to the checksum, which is folded into the first four
    /// of a step.
    ///
    /// - Parameter count: The number of bytes after them in the step.
    @inline(__always)
    private static func effect(
        of word: UInt64, followedBy count: Int, tables: Span<UInt32>
    ) -> UInt32 {
        var state: UInt32 = 0
        for k in 0..<8 {
            let byte = Int(truncatingIfNeeded: word >> UInt64(8 * k)) & 0xff
            // Sixteen tables have 256 entries each.
            state ^= unsafe tables[unchecked: (count + 7 - k) << 8 | byte]
        }
        return state
    }

    private static let reversedPolynomial: UInt32 = 0x82f6_3b78

    /// Table t has the contribution of a byte that is followed by t more bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 16 << 8)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? reversedPolynomial : 0) }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xff)]
        }
        return tables
    }()
}
