extension [UInt8] {
    /// Adds a text between quotes, with escapes where JSON needs them.
    mutating func append(quoted text: String) {
        append(.quote)
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            while let escaped = unsafe bytes.firstEscaped(from: start) {
                unsafe append(contentsOf: bytes[start..<escaped])
                append(escapeOf: unsafe bytes[escaped])
                start = escaped + 1
            }
            if start == 0 {
                unsafe append(contentsOf: bytes)
            } else {
                unsafe append(contentsOf: bytes[start...])
            }
        }
        append(.quote)
    }

    private mutating func append(escapeOf byte: UInt8) {
        switch byte {
        case .quote, .backslash:
            append(.backslash)
            append(byte)
        case 0x0a: append(contentsOf: "\\n".utf8)
        case 0x0d: append(contentsOf: "\\r".utf8)
        case 0x09: append(contentsOf: "\\t".utf8)
        default:
            append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            append(contentsOf: String(byte, radix: 16).utf8)
        }
    }

    /// Adds a number in decimal digits.
    mutating func append(digitsOf number: UInt64) {
        if number >= 10 { append(digitsOf: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The first byte from a place on that may not stand in a JSON string as it is.
    ///
    /// Nearly all texts have none, so eight bytes are looked at together.
    @inline(__always)
    fileprivate func firstEscaped(from start: Int) -> Int? {
        guard let first = unsafe UnsafeRawPointer(baseAddress) else { return nil }
        var place = start
        while count - place >= 8 {
            let word = unsafe first.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if word.holdsEscaped { break }
            place += 8
        }
        while place < count {
            if unsafe self[place].isEscaped { return place }
            place += 1
        }
        return nil
    }
}

extension UInt64 {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether one of its eight bytes is escaped in JSON.
    fileprivate var holdsEscaped: Bool {
        let isControl = (self &- 0x20 &* Self.ones) & ~self
        let quotes = self ^ UInt64(UInt8.quote) &* Self.ones
        let backslashes = self ^ UInt64(UInt8.backslash) &* Self.ones
        let isQuote = (quotes &- Self.ones) & ~quotes
        let isBackslash = (backslashes &- Self.ones) & ~backslashes
        return (isControl | isQuote | isBackslash) & Self.highBits != 0
    }
}

extension UInt8 {
    fileprivate var isEscaped: Bool { self < 0x20 || self == .quote || self == .backslash }
}
