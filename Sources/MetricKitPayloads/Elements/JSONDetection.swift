/// Distinguishes JSON from other text by its first byte.
enum JSONDetection {
    /// Whether a text with this first byte is read as JSON.
    static func isJSON(_ byte: UInt8) -> Bool { isContainer(byte) || byte == UInt8(ascii: "\"") }

    /// Whether the content of a string is JSON worth decoding.
    static func isContainer(_ content: ArraySlice<UInt8>) -> Bool {
        content.first { !isSpace($0) }.map(isContainer) ?? false
    }

    /// Returns the text without a byte-order mark and surrounding white space.
    static func trimmed(_ bytes: [UInt8], in range: Range<Int>) -> Range<Int> {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let start = range.lowerBound + (bytes[range].starts(with: mark) ? mark.count : 0)
        let text = bytes[start..<range.upperBound]
        guard let first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return start..<start }
        return first..<last + 1
    }

    private static func isContainer(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }
}
