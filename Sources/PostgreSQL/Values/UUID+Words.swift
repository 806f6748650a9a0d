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
        func byte(_ word: UInt64, index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
        }
        self.init(
            uuid: (
                byte(high, index: 0), byte(high, index: 1), byte(high, index: 2),
                byte(high, index: 3),
                byte(high, index: 4), byte(high, index: 5), byte(high, index: 6),
                byte(high, index: 7),
                byte(low, index: 0), byte(low, index: 1), byte(low, index: 2), byte(low, index: 3),
                byte(low, index: 4), byte(low, index: 5), byte(low, index: 6), byte(low, index: 7)
            ))
    }
}
