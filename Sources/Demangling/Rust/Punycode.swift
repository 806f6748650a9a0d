/// Text in the encoding of RFC 3492, as in Rust names.
struct Punycode {
    /// The decoded text, or the input in braces if it is damaged.
    let text: String

    /// The maximum number of scalars. Insertion takes quadratic time, and real identifiers are much
    /// shorter.
    private static let scalarsLimit = 1_000

    init(_ bytes: ArraySlice<UInt8>, delimiter: UInt8) {
        let split = bytes.lastIndex(of: delimiter)
        let plain = split.map { bytes[..<$0] } ?? []
        let encoded = split.map { bytes[($0 + 1)...] } ?? bytes
        if let scalars = Self.decoded(plain, encoded: encoded) {
            text = String(String.UnicodeScalarView(scalars))
        } else {
            text = "punycode{\(String(decoding: bytes, as: UTF8.self))}"
        }
    }

    private static func decoded(
        _ plain: ArraySlice<UInt8>, encoded: ArraySlice<UInt8>
    ) -> [Unicode.Scalar]? {
        guard plain.count + encoded.count <= scalarsLimit else { return nil }
        var scalars = plain.map { Unicode.Scalar($0) }
        var rest = encoded
        var code = 0x80
        var index = 0
        var bias = 72
        var isFirst = true
        while !rest.isEmpty {
            guard let delta = delta(&rest, bias: bias), delta <= 0x7FFF_FFFF - index else {
                return nil
            }
            index += delta
            let count = scalars.count + 1
            code += index / count
            index %= count
            guard code <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
            scalars.insert(scalar, at: index)
            index += 1
            bias = adapted(delta, count: count, isFirst: isFirst)
            isFirst = false
        }
        return scalars
    }

    private static func delta(_ rest: inout ArraySlice<UInt8>, bias: Int) -> Int? {
        var value = 0
        var weight = 1
        var step = 36
        while let byte = rest.popFirst(), let digit = digit(byte) {
            value += digit * weight
            let threshold = min(max(step - bias, 1), 26)
            if digit < threshold { return value }
            weight *= 36 - threshold
            guard value <= 0x7FFF_FFFF, weight <= 0x7FFF_FFFF else { return nil }
            step += 36
        }
        return nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
