import ReportFormats

/// Long decimal numbers. In a message they may be telephone, account or card numbers. Addresses do
/// not match, because they begin with `0x` or contain other hexadecimal digits.
enum NumberPattern: PrivatePattern {
    /// The minimum number of digits. Dates have eight.
    static let digitCount = 9

    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let start = text[position...].firstIndex(where: \.isWordByte) {
            let word = text[start...].prefix(while: \.isWordByte)
            position = word.endIndex
            if !isAddress(word) { edits += runs(in: word) }
        }
        return edits
    }

    private static func isAddress(_ word: ArraySlice<UInt8>) -> Bool {
        if word.starts(with: "0x".utf8) { return true }
        return word.allSatisfy { $0.hexDigitValue != nil } && word.contains(where: \.isLetter)
    }

    private static func runs(in word: ArraySlice<UInt8>) -> [Edit] {
        word.split { !$0.isDigit }.filter { $0.count >= digitCount }
            .map { .redaction($0.startIndex..<$0.endIndex) }
    }
}
