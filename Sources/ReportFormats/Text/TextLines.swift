/// The lines of a text, by their ranges in the file.
///
/// Line ends (LF or CR LF) and a byte-order mark are not part of a line.
package struct TextLines: Sendable {
    /// The maximum length of a line that is read, in bytes. Longer lines are kept in the file but
    /// read as empty.
    package static let lineBytesLimit = 1 << 16
    /// The maximum number of lines. The text after them is kept but not read.
    static let linesLimit = 1 << 22

    package let bytes: [UInt8]
    /// The content of each line in the file.
    package private(set) var ranges: [Range<Int>] = []
    /// The substitutes that the text has for other characters, such as entities in a copy from a
    /// web page.
    private let substitutes: [Substitute]

    package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
        let range = range ?? 0..<bytes.count
        self.bytes = bytes
        substitutes = Self.substitutes(in: bytes[range])
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        var position = range.lowerBound + (bytes[range].starts(with: mark) ? mark.count : 0)
        while position < range.upperBound, ranges.count < Self.linesLimit {
            let end = bytes[position..<range.upperBound].firstIndex(of: 0x0a) ?? range.upperBound
            let isPair = end > position && end < range.upperBound && bytes[end - 1] == 0x0d
            ranges.append(position..<(isPair ? end - 1 : end))
            position = end + 1
        }
    }

    package var indices: Range<Int> { ranges.indices }

    /// Returns the bytes of a line for parsers, with decoded entities and plain spaces, or no bytes
    /// if the line is too long.
    package func content(_ line: Int) -> ArraySlice<UInt8> {
        let range = ranges[line]
        guard range.count <= Self.lineBytesLimit else { return [] }
        return substitutes.isEmpty ? bytes[range] : decoded(bytes[range])
    }

    /// Returns the text of a line, with U+FFFD for invalid UTF-8.
    func string(_ line: Int) -> String { String(decoding: content(line), as: UTF8.self) }

    /// Returns the position in the file of a byte of a line's ``content(_:)``.
    ///
    /// - Parameter distance: The offset from the first byte of the content.
    func fileOffset(inLine line: Int, at distance: Int) -> Int {
        let range = ranges[line]
        guard !substitutes.isEmpty
        else { return min(range.lowerBound + distance, range.upperBound) }
        var position = range.lowerBound
        for _ in 0..<distance where position < range.upperBound {
            position += substitute(bytes[position..<range.upperBound])?.text.count ?? 1
        }
        return position
    }

    /// Returns the bytes of the file for a range of a line's ``content(_:)``.
    func fileBytes(inLine line: Int, _ range: Range<Int>) -> ArraySlice<UInt8> {
        let start = fileOffset(inLine: line, at: range.lowerBound)
        return bytes[start..<fileOffset(inLine: line, at: range.upperBound)]
    }

    /// Returns the bytes that end a line; none if the text ends without a line end.
    package func lineEnd(_ line: Int) -> ArraySlice<UInt8> {
        let end = ranges[line].upperBound
        guard end < bytes.count else { return [] }
        return bytes[end..<min(end + (bytes[end] == 0x0d ? 2 : 1), bytes.count)]
    }
}

extension TextLines {
    /// Text that represents one character of the original text.
    private struct Substitute {
        var text: [UInt8]
        var byte: UInt8
    }

    private static let entities = [
        Substitute(text: Array("&lt;".utf8), byte: UInt8(ascii: "<")),
        Substitute(text: Array("&gt;".utf8), byte: UInt8(ascii: ">")),
        Substitute(text: Array("&amp;".utf8), byte: UInt8(ascii: "&")),
        Substitute(text: Array("&quot;".utf8), byte: UInt8(ascii: "\"")),
        Substitute(text: Array("&#39;".utf8), byte: UInt8(ascii: "'")),
    ]
    private static let fixedBlank = Substitute(text: Array("\u{a0}".utf8), byte: .space)

    private static func substitutes(in text: ArraySlice<UInt8>) -> [Substitute] {
        let blanks = text.contains(subsequence: fixedBlank.text) ? [fixedBlank] : []
        return hasEntities(text) ? entities + blanks : blanks
    }

    /// Whether a text has `&lt;` and no `<` before an identity. Tags may have been copied with it.
    private static func hasEntities(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            let digits = rest.prefix(8)
            if digits.count == 8, digits.allSatisfy({ $0.hexDigitValue != nil }) { return false }
        }
        return text.contains(subsequence: entities[0].text)
    }

    private func substitute(_ text: ArraySlice<UInt8>) -> Substitute? {
        substitutes.first { text.starts(with: $0.text) }
    }

    private func decoded(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        var rest = text
        while let first = rest.first {
            let substitute = substitute(rest)
            result.append(substitute?.byte ?? first)
            rest = rest.dropFirst(substitute?.text.count ?? 1)
        }
        return result[...]
    }

    /// Returns a text encoded like this one, with ordinary blanks.
    func encoded(_ text: String) -> String {
        let entities = substitutes.filter { $0.byte != .space }
        guard !entities.isEmpty else { return text }
        return String(
            decoding: text.utf8.flatMap { byte in
                entities.first { $0.byte == byte }?.text ?? [byte]
            }, as: UTF8.self)
    }
}
