/// The 64-bit FNV-1a hash, for names in caches.
struct FNV1a64 {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    /// The hash in sixteen hexadecimal digits.
    var hex: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Returns a cache name of sixteen digits that does not reveal the text.
package func cacheName(of text: String) -> String {
    var hash = FNV1a64()
    for byte in text.utf8 { hash.add(byte) }
    return hash.hex
}
