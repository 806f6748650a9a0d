extension SwiftNameReader {
    private static let wordsLimit = 26
    private static let identifierBytesLimit = 65_536

    /// Reads an identifier: `4main`, `0a3Foo` with words before its own text, or `004abcd` in
    /// Punycode.
    mutating func identifier() -> Event? {
        identifierBytes.removeAll(keepingCapacity: true)
        var count = 0
        var hasWords = false
        if accept("0") {
            if accept("0") { return punycode() }
            hasWords = true
        }
        repeat {
            while hasWords, let byte = peek(), Self.isLetter(byte) {
                position += 1
                let isLast = byte < UInt8(ascii: "a")
                let index = Int(byte - UInt8(ascii: isLast ? "A" : "a"))
                guard words.indices.contains(index) else { return nil }
                count += words[index].count
                appendToIdentifier(words[index])
                if isLast { hasWords = false }
            }
            if accept("0") { break }
            guard let text = text() else { return nil }
            count += text.count
            appendToIdentifier(text)
            addWords(of: text)
        } while hasWords
        return .identifier(count)
    }

    /// Reads an identifier in Punycode. Each of its bytes decodes to a scalar of at most four
    /// bytes.
    private mutating func punycode() -> Event? {
        guard let count = natural(), count > 0 else { return nil }
        hasPunycode = true
        _ = accept("_")
        guard count <= bytes.count - position else { return nil }
        appendToIdentifier(position..<position + count)
        position += count
        return .identifier(4 * count)
    }

    private mutating func text() -> Range<Int>? {
        guard let count = natural(), count > 0, count <= bytes.count - position else { return nil }
        position += count
        return position - count..<position
    }

    private mutating func appendToIdentifier(_ text: Range<Int>) {
        if keepsIdentifiers, identifierBytes.count + text.count < Self.identifierBytesLimit {
            identifierBytes += bytes[text]
        }
    }

    /// Adds the words of a text. A word starts at any character except `_` and digits, and ends
    /// before `_` or before a capital letter that does not follow another one.
    private mutating func addWords(of text: Range<Int>) {
        var start: Int?
        for index in text.lowerBound...text.upperBound where words.count < Self.wordsLimit {
            let byte = index < text.upperBound ? bytes[index] : 0
            if let first = start, index > first, endsWord(byte, after: bytes[index - 1]) {
                if index - first >= 2 { words.append(first..<index) }
                start = nil
            }
            if start == nil, byte != 0, byte != UInt8(ascii: "_"), !byte.isDigit {
                start = index
            }
        }
    }

    private func endsWord(_ byte: UInt8, after previous: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "_")
            || (Self.isCapital(byte) && !Self.isCapital(previous))
    }
}
