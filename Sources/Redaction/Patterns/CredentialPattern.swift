import ReportFormats

/// Credentials, recognised by the preceding word:
///
///     Authorization: Bearer 8f2e…        api_key=8f2e…&page=2        "password": "8f2e…"
///     --token 8f2e…
enum CredentialPattern: PrivatePattern {
    /// Ends of names that count before `=` as well as those of ``CredentialName``.
    private static let names = words("key", "signature", "auth", "session", "sessionid")
    /// Names that also count before a colon. Before a colon, other names are words of a sentence.
    private static let titles = words("token", "secret", "apikey", "api_key", "api-key")
    /// Names before a colon whose value may be short.
    private static let passwords = words("password", "passwd", "passphrase")
    /// Names whose value may have several words.
    private static let headers = words("authorization", "cookie")
    private static let bearer = Array("bearer".utf8)
    /// The minimum length of a value after a colon or a blank; shorter ones are words of a
    /// sentence.
    private static let valueLength = 8
    /// The maximum length of a name, in bytes.
    private static let nameLimit = 32

    private static func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let mark = text[position...].firstIndex(where: isMark) {
            let value = isOfScope(mark, in: text) ? nil : value(in: text, behind: mark)
            if let value { edits.append(.redaction(value)) }
            position = max(value?.upperBound ?? 0, mark + 1)
        }
        return edits
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "=") || byte == colon || byte == .space
    }

    private static let colon = UInt8(ascii: ":")

    /// Whether a colon is part of `Password::set`, the name of a function.
    private static func isOfScope(_ mark: Int, in text: ArraySlice<UInt8>) -> Bool {
        text[mark] == colon
            && (text[..<mark].last == colon || text[(mark + 1)...].first == colon)
    }

    private static func value(in text: ArraySlice<UInt8>, behind mark: Int) -> Range<Int>? {
        let name = name(in: text[..<mark])
        guard !name.isEmpty else { return nil }
        switch text[mark] {
        case .space:
            guard name == bearer || isOption(name) else { return nil }
            return value(in: text, from: mark + 1, atLeast: name == bearer ? valueLength : 1)
        case UInt8(ascii: "="):
            guard name.ends(withAnyOf: names) || CredentialName.matches(name) else { return nil }
            return value(in: text, from: mark + 1, atLeast: 1)
        default:
            if name.ends(withAnyOf: headers) {
                return value(in: text, from: mark + 1, atLeast: 1, endsAt: isOfLineEnd)
            }
            let isPassword = name.ends(withAnyOf: passwords)
            guard isPassword || name.ends(withAnyOf: titles) else { return nil }
            return value(in: text, from: mark + 1, atLeast: isPassword ? 1 : valueLength)
        }
    }

    private static func isOption(_ name: [UInt8]) -> Bool {
        name.starts(with: "--".utf8) && CredentialName.matches(name)
    }

    /// Returns the word at the end of a text, in lower case, without a closing quote, which may be
    /// escaped.
    private static func name(in text: ArraySlice<UInt8>) -> [UInt8] {
        var end = text.suffix(nameLimit)
        while let last = end.last, last.isBlank || last.isQuote || last == .backslash {
            end.removeLast()
        }
        guard let start = end.lastRunStart(where: isOfName) else { return [] }
        return end[start...].map { $0.isLetter ? $0 | 0x20 : $0 }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isWordByte || byte == UInt8(ascii: "-")
    }

    private static func value(
        in text: ArraySlice<UInt8>, from position: Int, atLeast length: Int,
        endsAt isEnd: (UInt8) -> Bool = endsValue
    ) -> Range<Int>? {
        let start = text[position...].firstIndex { !$0.isBlank } ?? text.endIndex
        let value =
            quoted(in: text[start...])
            ?? start..<(text[start...].firstIndex(where: isEnd) ?? text.endIndex)
        return value.count >= length ? value : nil
    }

    /// Returns the content of a string in quotes, which may be escaped, or `nil` if the text does not
    /// start with one.
    private static func quoted(in text: ArraySlice<UInt8>) -> Range<Int>? {
        let content = text.drop { $0 == .backslash }
        guard let quote = content.first, quote.isQuote else { return nil }
        let start = content.startIndex + 1
        var end = start
        let isEscaped = content.startIndex > text.startIndex
        while end < text.endIndex, text[end] != quote, text[end] >= 0x20 {
            end += !isEscaped && text[end] == .backslash ? 2 : 1
        }
        end = min(end, text.endIndex)
        // The closing quote is escaped like the opening one.
        while isEscaped, end > start, text[end - 1] == .backslash { end -= 1 }
        return start..<end
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte.isQuote || "&;,)]}>".utf8.contains(byte)
    }

    private static func isOfLineEnd(_ byte: UInt8) -> Bool { byte < 0x20 || byte.isQuote }
}

extension UInt8 {
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
}

extension [UInt8] {
    fileprivate func ends(withAnyOf ends: [[UInt8]]) -> Bool { ends.contains { hasSuffix($0) } }
}
