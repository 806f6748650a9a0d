import ReportFormats

/// Credentials, recognised by the preceding word:
///
///     Authorization: Bearer 8f2e…        api_key=8f2e…&page=2        "password": "8f2e…"
enum CredentialPattern: PrivatePattern {
    /// Names, or ends of names, before `=`.
    private static let names = words(
        "key", "token", "secret", "password", "passwd", "pwd", "passphrase", "signature", "auth",
        "authorization", "credential", "credentials", "cookie", "session", "sessionid")
    /// Names that also count before a colon. Before a colon, other names are words of a sentence.
    private static let titles = words(
        "token", "secret", "password", "passwd", "passphrase", "apikey", "api_key", "api-key")
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
            let value = value(in: text, behind: mark)
            if let value { edits.append(.redaction(value)) }
            position = max(value?.upperBound ?? 0, mark + 1)
        }
        return edits
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") || byte == .space
    }

    private static func value(in text: ArraySlice<UInt8>, behind mark: Int) -> Range<Int>? {
        let name = name(in: text[..<mark])
        guard !name.isEmpty else { return nil }
        switch text[mark] {
        case .space:
            guard name == bearer else { return nil }
            return value(in: text, from: mark + 1, atLeast: valueLength)
        case UInt8(ascii: "="):
            guard names.contains(where: { name.hasSuffix($0) }) else { return nil }
            return value(in: text, from: mark + 1, atLeast: 1)
        default:
            if headers.contains(where: { name.hasSuffix($0) }) {
                return value(in: text, from: mark + 1, atLeast: 1, endsAt: isOfLineEnd)
            }
            guard titles.contains(where: { name.hasSuffix($0) }) else { return nil }
            return value(in: text, from: mark + 1, atLeast: valueLength)
        }
    }

    /// Returns the word at the end of a text, in lower case, without a closing quote.
    private static func name(in text: ArraySlice<UInt8>) -> [UInt8] {
        var end = text.suffix(nameLimit)
        while let last = end.last, last.isBlank || last.isQuote { end.removeLast() }
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
        var start = text[position...].firstIndex { !$0.isBlank } ?? text.endIndex
        var end = start
        if start < text.endIndex, text[start].isQuote {
            let quote = text[start]
            start += 1
            end = text[start...].firstIndex { $0 == quote || $0 < 0x20 } ?? text.endIndex
        } else {
            end = text[start...].firstIndex(where: isEnd) ?? text.endIndex
        }
        return end - start >= length ? start..<end : nil
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
    fileprivate func hasSuffix(_ end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
