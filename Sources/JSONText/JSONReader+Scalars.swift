extension JSONReader {
    /// Scans a key or string, starting at its opening quote.
    mutating func scanString(_ kind: JSONToken.Kind) throws(JSONError) -> JSONToken {
        let start = offset + 1
        offset = start
        var hasEscapes = false
        while offset < end {
            offset = bytes.plainEnd(from: offset, to: end)
            guard offset < end else { break }
            switch bytes[offset] {
            case .quote:
                offset += 1
                return JSONToken(kind, start..<offset - 1, hasEscapes: hasEscapes)
            case .backslash:
                hasEscapes = true
                try skipEscape()
            case 0..<0x20: throw invalid("control character in a string")
            case 0x80...: try skipSequence()
            default: offset += 1
            }
        }
        throw endError()
    }

    private mutating func skipEscape() throws(JSONError) {
        guard offset + 1 < end else { throw endError() }
        switch bytes[offset + 1] {
        case .quote, .backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 2
        case UInt8(ascii: "u"):
            for index in offset + 2..<offset + 6 {
                guard index < end else { throw endError() }
                guard bytes[index].hexDigit != nil
                else { throw invalid("'\\u' without four hexadecimal digits") }
            }
            offset += 6
        default: throw invalid("unknown escape in a string")
        }
    }

    /// Skips a UTF-8 sequence of two to four bytes (RFC 3629, section 4). The range of the second
    /// byte excludes overlong sequences, surrogates and values above U+10FFFF.
    private mutating func skipSequence() throws(JSONError) {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch bytes[offset] {
            case 0xc2...0xdf: (2, 0x80...0xbf)
            case 0xe0: (3, 0xa0...0xbf)
            case 0xed: (3, 0x80...0x9f)
            case 0xe1...0xef: (3, 0x80...0xbf)
            case 0xf0: (4, 0x90...0xbf)
            case 0xf1...0xf3: (4, 0x80...0xbf)
            case 0xf4: (4, 0x80...0x8f)
            default: throw invalid("byte that is not UTF-8")
            }
        for step in 1..<length {
            guard offset + step < end else { throw endError() }
            let allowed = step == 1 ? second : 0x80...0xbf
            guard allowed.contains(bytes[offset + step])
            else { throw invalid("bytes that are not UTF-8") }
        }
        offset += length
    }

    mutating func scanWord(
        _ word: StaticString, _ kind: JSONToken.Kind
    ) throws(JSONError) -> JSONToken {
        let start = offset
        for letter in "\(word)".utf8 {
            guard offset < end else { throw endError() }
            guard bytes[offset] == letter else { throw invalid("expected '\(word)'") }
            offset += 1
        }
        return JSONToken(kind, start..<offset)
    }

    /// Scans a number: an optional minus, digits without leading zeros, fraction, exponent.
    ///
    /// - Parameter mayTouchEnd: Whether the number may end with the text. Inside a container it may
    ///   not, because further digits may be missing.
    mutating func scanNumber(mayTouchEnd: Bool) throws(JSONError) -> JSONToken {
        let start = offset
        if bytes[offset] == .minus { offset += 1 }
        if offset < end, bytes[offset] == UInt8(ascii: "0") {
            offset += 1
        } else {
            try scanDigits()
        }
        if offset < end, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try scanDigits()
        }
        if offset < end, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < end, bytes[offset] == .minus || bytes[offset] == UInt8(ascii: "+") {
                offset += 1
            }
            try scanDigits()
        }
        guard offset < end else {
            if mayTouchEnd { return JSONToken(.number, start..<offset) }
            throw endError()
        }
        guard bytes[offset].endsNumber else { throw invalid("malformed number") }
        return JSONToken(.number, start..<offset)
    }

    private mutating func scanDigits() throws(JSONError) {
        guard offset < end else { throw endError() }
        guard bytes[offset].isDigit else { throw invalid("expected a digit") }
        while offset < end, bytes[offset].isDigit { offset += 1 }
    }
}
