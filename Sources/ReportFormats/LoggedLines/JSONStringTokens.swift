import JSONText

/// The content of a JSON string, split into verbatim bytes and escapes.
struct JSONStringTokens: Sequence, IteratorProtocol {
    enum Token {
        /// Bytes without escapes.
        case verbatim(Range<Int>)
        /// An escape and its character.
        case escape(Range<Int>, Unicode.Scalar)
    }

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// - Parameter range: The bytes between the quotes of a valid string.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Token? {
        guard position < end else { return nil }
        let start = position
        guard bytes[position] == .backslash else {
            while position < end, bytes[position] != .backslash { position += 1 }
            return .verbatim(start..<position)
        }
        let scalar = escape()
        return .escape(start..<position, scalar)
    }

    private mutating func escape() -> Unicode.Scalar {
        let letter = position + 1 < end ? bytes[position + 1] : .backslash
        position = Swift.min(position + 2, end)
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
        if (0xd800..<0xdc00).contains(first), position + 1 < end, bytes[position] == .backslash,
            bytes[position + 1] == UInt8(ascii: "u")
        {
            let back = position
            position += 2
            let second = unit()
            if (0xdc00..<0xe000).contains(second) {
                let value = 0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00)
                return Unicode.Scalar(value) ?? "\u{fffd}"
            }
            position = back
        }
        return Unicode.Scalar(first) ?? "\u{fffd}"
    }

    private mutating func unit() -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 where position < end {
            value = value << 4 | UInt32(truncatingIfNeeded: bytes[position].hexDigitValue ?? 0)
            position += 1
        }
        return value
    }
}

extension [UInt8] {
    /// The content of the JSON string for this text, without quotes.
    var escapedForJSON: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count + 16)
        result.append(escaping: self)
        return result
    }
}
