import ReportFormats

/// Email addresses, also with international domains (RFC 6531) or in a URL:
///
///     jane.doe@example.com        jane@bücher.example        jane%40example.com
enum EmailPattern: PrivatePattern {
    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let sign = text[position...].firstIndex(where: { $0 == signByte || $0 == percent }) {
            position = sign + 1
            guard let domain = startOfDomain(in: text, behind: sign),
                let start = text[..<sign].suffix(nameLimit).lastRunStart(where: isOfName),
                start < sign,
                let end = endOfDomain(in: text, from: domain)
            else { continue }
            let name = text[start..<sign].withoutPunctuation
            if !name.isEmpty { edits.append(.redaction(name.startIndex..<end)) }
        }
        return edits
    }

    /// The maximum length of an address, in bytes (RFC 5321, section 4.5.3.1).
    private static let nameLimit = 254
    private static let signByte = UInt8(ascii: "@")
    private static let percent = UInt8(ascii: "%")
    private static let encodedSign = Array("%40".utf8)

    private static func startOfDomain(in text: ArraySlice<UInt8>, behind sign: Int) -> Int? {
        if text[sign] == signByte { return sign + 1 }
        return text[sign...].starts(with: encodedSign) ? sign + encodedSign.count : nil
    }

    /// Returns the end of a domain with a dot and a last label of letters, or `nil` if there is
    /// none.
    private static func endOfDomain(in text: ArraySlice<UInt8>, from start: Int) -> Int? {
        let run = text[start...].prefix(while: isOfDomain)
        // An underscore follows the version of a symbol, not a domain.
        if run.endIndex < text.endIndex, text[run.endIndex] == UInt8(ascii: "_") { return nil }
        let domain = run[..<(run.lastIndex { $0.isWordByte || $0 >= 0x80 }.map { $0 + 1 } ?? start)]
        guard let dot = domain.lastIndex(of: UInt8(ascii: ".")), dot > start else { return nil }
        let label = domain[(dot + 1)...]
        let isOfLetters = label.allSatisfy { $0.isLetter || $0 >= 0x80 }
        let isEncoded = label.starts(with: "xn--".utf8)
        return label.count >= 2 && (isOfLetters || isEncoded) ? domain.endIndex : nil
    }

    /// Whether a byte may occur in a domain. 0xE2 starts punctuation, such as closing quotes.
    private static func isOfDomain(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || (byte >= 0x80 && byte != 0xE2)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isWordByte || "+-.%".utf8.contains(byte) || byte >= 0x80
    }
}

extension ArraySlice<UInt8> {
    /// The text without an incomplete character at its start, and without opening quotes and other
    /// characters from U+2000 to U+203F.
    fileprivate var withoutPunctuation: Self {
        var rest = drop { $0 & 0xC0 == 0x80 }
        while rest.starts(with: [0xE2, 0x80]) { rest = rest.dropFirst(3) }
        return rest
    }

    /// Returns the start of the last run of matching bytes, or `nil` if the last byte does not
    /// match.
    func lastRunStart(where isOfRun: (UInt8) -> Bool) -> Int? {
        guard let last, isOfRun(last) else { return nil }
        return lastIndex { !isOfRun($0) }.map { $0 + 1 } ?? startIndex
    }
}
