/// Bytes decoded from base64, in the alphabet of RFC 4648, section 4 or 5.
struct Base64 {
    let bytes: [UInt8]

    /// Returns `nil` if a character is in neither alphabet, or text follows padding.
    init?(decoding text: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        var isPadded = false
        for character in text {
            if character == UInt8(ascii: "=") {
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
