import struct FoundationEssentials.UUID

extension UUID {
    /// The bytes 0 to 7 and 8 to 15 as big-endian numbers.
    var words: (high: UInt64, low: UInt64) {
        let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid
        return (Self.word([a, b, c, d, e, f, g, h]), Self.word([i, j, k, l, m, n, o, p]))
    }

    private static func word(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    init(high: UInt64, low: UInt64) {
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
        }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
