/// The 128-bit FNV-1a hash: short, stable, and the same on every machine. It resists accidental
/// collisions, not deliberate ones.
///
/// Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923), section 6.
struct FNV1a128 {
    private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt128(byte)) &* Self.prime
    }

    mutating func combine(_ text: String) {
        for byte in text.utf8 { combine(byte) }
    }
}
