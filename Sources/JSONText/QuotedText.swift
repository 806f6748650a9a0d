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

    /// Adds a key that needs no escapes, with its quotes and colon, in one go: objects of many small
    /// members are mostly keys.
    mutating func append(key: StaticString) {
        let count = key.utf8CodeUnitCount
        append(addingCapacity: count + 3) { piece in
            piece.append(.quote)
            for place in 0..<count { piece.append(unsafe key.utf8Start[place]) }
            piece.append(.quote)
            piece.append(.colon)
        }
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
        // The last digit comes first, and the greatest number has twenty.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = number
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(addingCapacity: digits.count - start) { piece in
            for place in start..<digits.count { piece.append(digits[place]) }
        }
    }
}

extension [UInt8] {
    /// Where the plain characters of a string end: before the first byte that is no character of
    /// ASCII or may not stand in a JSON string as it is. Nearly all texts are plain, so eight bytes
    /// are looked at together.
    func plainEnd(from start: Int, to end: Int) -> Int {
        var place = start
        let raw = unsafe span.bytes
        while end - place >= 8 {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
            if word.holdsEscaped || word.holdsNonASCII { break }
            place += 8
        }
        while place < end, self[place] < 0x80, !self[place].isEscaped { place += 1 }
        return place
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

    /// Whether one of its eight bytes is no character of ASCII.
    fileprivate var holdsNonASCII: Bool { self & Self.highBits != 0 }

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
