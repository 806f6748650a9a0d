extension [UInt8] {
    /// Appends a text as a JSON string, with quotes and escapes.
    mutating func append(quoted text: String) {
        append(.quote)
        var text = text
        text.withUTF8 { unsafe append(escaping: $0) }
        append(.quote)
    }

    /// Appends a text in UTF-8 as the content of a JSON string, with escapes and without quotes.
    package mutating func append(escaping text: [UInt8]) {
        unsafe text.withUnsafeBufferPointer { unsafe append(escaping: $0) }
    }

    private mutating func append(escaping bytes: UnsafeBufferPointer<UInt8>) {
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

    /// Appends a key that needs no escapes, with quotes and colon, in one step, because objects
    /// with many small members consist mostly of keys.
    mutating func append(key: StaticString) {
        let count = key.utf8CodeUnitCount
        append(addingCapacity: count + 3) { piece in
            piece.append(.quote)
            for index in 0..<count { piece.append(unsafe key.utf8Start[index]) }
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

    /// Appends a number in decimal digits.
    package mutating func append(digitsOf number: UInt64) {
        // The last digit comes first, and the largest number has twenty.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = number
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(addingCapacity: digits.count - start) { piece in
            for index in start..<digits.count { piece.append(digits[index]) }
        }
    }
}

extension [UInt8] {
    /// Returns the end of the plain characters of a string: the position of the first byte that is
    /// not ASCII or must be escaped. Nearly all texts are plain, so eight bytes are checked at a
    /// time.
    func plainEnd(from start: Int, to end: Int) -> Int {
        var position = start
        let raw = unsafe span.bytes
        while end - position >= 8 {
            let word = unsafe UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            if let index = (word.nonASCIIBytes | word.escapedBytes).firstMarkedByte {
                return position + index
            }
            position += 8
        }
        while position < end, self[position] < 0x80, !self[position].isEscaped { position += 1 }
        return position
    }

    /// Whether the bytes in a range are those of another text from `start` on. Most are compared
    /// eight at a time, because each frame of a report repeats the keys and identities of others.
    func matches(_ other: [UInt8], at start: Int, in range: Range<Int>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range leaves bytes")
        precondition(start >= 0 && start + range.count <= other.count, "start leaves other bytes")
        let (left, right) = unsafe (span.bytes, other.span.bytes)
        func isEqual(_ step: Int) -> Bool {
            let word = unsafe left.unsafeLoadUnaligned(
                fromByteOffset: range.lowerBound + step, as: UInt64.self)
            let wanted = unsafe right.unsafeLoadUnaligned(
                fromByteOffset: start + step, as: UInt64.self)
            return word == wanted
        }
        var step = 0
        while range.count - step >= 8 {
            guard isEqual(step) else { return false }
            step += 8
        }
        // The last eight bytes may overlap those compared before.
        if step > 0 { return step == range.count || isEqual(range.count - 8) }
        while step < range.count, self[range.lowerBound + step] == other[start + step] {
            step += 1
        }
        return step == range.count
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the position of the first byte from `start` on that must be escaped.
    ///
    /// Nearly all texts have none, so eight bytes are checked at a time.
    @inline(__always)
    fileprivate func firstEscaped(from start: Int) -> Int? {
        guard let first = unsafe UnsafeRawPointer(baseAddress) else { return nil }
        var position = start
        while count - position >= 8 {
            let word = unsafe UInt64(
                littleEndian: first.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if let index = word.escapedBytes.firstMarkedByte { return position + index }
            position += 8
        }
        while position < count {
            if unsafe self[position].isEscaped { return position }
            position += 1
        }
        return nil
    }
}

extension UInt64 {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The high bits of those of its eight bytes that are not ASCII.
    fileprivate var nonASCIIBytes: UInt64 { self & Self.highBits }

    /// The high bits of those of its eight bytes that must be escaped. Bytes after the first of them
    /// may be marked without need.
    fileprivate var escapedBytes: UInt64 {
        let isControl = (self &- 0x20 &* Self.ones) & ~self
        let quotes = self ^ UInt64(UInt8.quote) &* Self.ones
        let backslashes = self ^ UInt64(UInt8.backslash) &* Self.ones
        let isQuote = (quotes &- Self.ones) & ~quotes
        let isBackslash = (backslashes &- Self.ones) & ~backslashes
        return (isControl | isQuote | isBackslash) & Self.highBits
    }

    /// The position of the first byte whose high bit is set, or `nil` if there is none. The first
    /// byte is the least significant one.
    fileprivate var firstMarkedByte: Int? {
        self == 0 ? nil : trailingZeroBitCount / 8
    }
}

extension UInt8 {
    fileprivate var isEscaped: Bool { self < 0x20 || self == .quote || self == .backslash }
}
