/// The checksum of RFC 3720, appendix B.4 (Castagnoli), with eight tables, eight bytes a step.
struct CRC32C {
    private var state: UInt32 = ~0

    var value: UInt32 { ~state }

    static func of(_ bytes: Span<UInt8>) -> UInt32 {
        var checksum = CRC32C()
        checksum.add(bytes)
        return checksum.value
    }

    mutating func add(_ bytes: Span<UInt8>) {
        var position = 0
        while bytes.count - position >= 8 {
            var low = state
            for k in 0..<4 { low ^= UInt32(bytes[position + k]) << UInt32(8 * k) }
            var next: UInt32 = 0
            for k in 0..<4 {
                next ^= Self.entry(7 - k, UInt8(truncatingIfNeeded: low >> UInt32(8 * k)))
                next ^= Self.entry(3 - k, bytes[position + 4 + k])
            }
            state = next
            position += 8
        }
        while position < bytes.count {
            state = state >> 8 ^ Self.entry(0, UInt8(truncatingIfNeeded: state) ^ bytes[position])
            position += 1
        }
    }

    private static func entry(_ table: Int, _ byte: UInt8) -> UInt32 {
        tables[table << 8 | Int(byte)]
    }

    private static let reversedPolynomial: UInt32 = 0x82f6_3b78

    /// Table t says what a byte does to the checksum when t further bytes follow it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 << 8)
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
