/// Bytes that a JSON string contains as base64, in the alphabet of RFC 4648, section 4 or 5.
package struct Base64 {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns `nil` if a character is in neither alphabet, or text follows padding.
    package init?(decoding text: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        var isPadded = false
        for character in text {
            if character == Self.padding {
                isPadded = true
                continue
            }
            guard !isPadded, let value = Self.value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        self.bytes = bytes
    }

    /// The text, in the alphabet of section 4, with padding.
    package var encoded: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for step in 0..<4 {
                let value = Int(bits >> UInt32(18 - 6 * step)) & 0x3f
                text.append(step <= group.count ? Self.alphabet[value] : Self.padding)
            }
        }
        return text
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
