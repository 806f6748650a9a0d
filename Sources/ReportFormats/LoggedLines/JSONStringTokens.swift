/// The content of a JSON string, split into verbatim bytes and escapes.
struct JSONStringTokens: Sequence, IteratorProtocol {
    enum Token {
        /// Bytes without escapes.
        case verbatim(Range<Int>)
        /// An escape and its character.
        case escape(Range<Int>, Unicode.Scalar)
    }

    private let bytes: [UInt8]
    private var place: Int
    private let end: Int

    /// - Parameter range: The bytes between the quotes of a valid string.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Token? {
        guard place < end else { return nil }
        let start = place
        guard bytes[place] == .backslash else {
            while place < end, bytes[place] != .backslash { place += 1 }
            return .verbatim(start..<place)
        }
        let scalar = escape()
        return .escape(start..<place, scalar)
    }

    private mutating func escape() -> Unicode.Scalar {
        let letter = place + 1 < end ? bytes[place + 1] : .backslash
        place = Swift.min(place + 2, end)
        switch letter {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return character()
        default: return Unicode.Scalar(letter)
        }
    }

    /// Reads a character of four digits, or of two surrogates.
    private mutating func character() -> Unicode.Scalar {
        let first = unit()
        if (0xd800..<0xdc00).contains(first), place + 1 < end, bytes[place] == .backslash,
            bytes[place + 1] == UInt8(ascii: "u")
        {
            let back = place
            place += 2
            let second = unit()
            if (0xdc00..<0xe000).contains(second) {
                let value = 0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00)
                return Unicode.Scalar(value) ?? "\u{fffd}"
            }
            place = back
        }
        return Unicode.Scalar(first) ?? "\u{fffd}"
    }

    private mutating func unit() -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 where place < end {
            value = value << 4 | UInt32(truncatingIfNeeded: bytes[place].hexDigitValue ?? 0)
            place += 1
        }
        return value
    }
}

extension [UInt8] {
    /// The content of the JSON string for this text, without quotes.
    var escapedForJSON: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count + 16)
        for byte in self {
            switch byte {
            case UInt8(ascii: "\""), .backslash: result += [.backslash, byte]
            case UInt8(ascii: "\n"): result += [.backslash, UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): result += [.backslash, UInt8(ascii: "r")]
            case UInt8(ascii: "\t"): result += [.backslash, UInt8(ascii: "t")]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                result += Array("\\u00\(byte < 16 ? "0" : "")\(digits)".utf8)
            default: result.append(byte)
            }
        }
        return result
    }
}
