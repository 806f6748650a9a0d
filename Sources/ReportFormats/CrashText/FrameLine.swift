import CallStacks

/// A frame line of Apple's text reports:
///
///     2   Orchard                        0x0000000104a2fac0 0x104a2c000 + 15040
///
/// In a printed list of strings it is in quotes, and a comma follows all but the last one:
///
///     "2   Orchard                        0x0000000104a2fac0 0x104a2c000 + 15040",
///
/// It is read outwards from the address, because image names may contain blanks and dots.
package struct FrameLine: Equatable {
    /// The frame's number as written.
    var number: Int
    var image: String
    var address: UInt64
    /// The content after the address.
    var rest: FrameSymbolText
    /// The start of the image's name in the line.
    var imageStart: Int
    /// The end of the address in the line.
    var addressEnd: Int
    /// The range of the text after the address and the blanks that follow it.
    var restRange: Range<Int>
    /// Whether the line is a string in a printed list.
    var isQuoted: Bool

    /// - Parameter line: The line without its end.
    package init?(_ line: ArraySlice<UInt8>) {
        let start = line.startIndex
        if let content = Self.quotedContent(of: line) {
            self.init(content, in: start, isQuoted: true)
        } else {
            self.init(line, in: start, isQuoted: false)
        }
    }

    /// Returns the content of a string with a frame number, or `nil` for another line.
    private static func quotedContent(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let text = line.trimmed
        guard text.first == UInt8(ascii: "\""), text.dropFirst().first?.isDigit == true
        else { return nil }
        let content = text.last == UInt8(ascii: ",") ? text.dropLast() : text
        guard content.count > 2, content.last == UInt8(ascii: "\"") else { return nil }
        return content.dropFirst().dropLast()
    }

    /// - Parameter lineStart: The start of the line, which may be before the text.
    private init?(_ line: ArraySlice<UInt8>, in lineStart: Int, isQuoted: Bool) {
        guard let start = line.first(where: { $0 != 0x20 && $0 != 0x09 }),
            start.isDigit
        else { return nil }
        let words = Words(line)
        guard let first = words.first, first.count <= 6,
            let number = Int(String(decoding: line[first], as: UTF8.self)), number >= 0,
            let addressIndex = Self.addressWord(words, line: line)
        else { return nil }
        let isMarked = addressIndex > 2 && line[words[addressIndex - 1]].elementsEqual("(*)".utf8)
        let last = words[isMarked ? addressIndex - 2 : addressIndex - 1]
        guard let address = UInt64(address: line[words[addressIndex]]) else { return nil }
        self.number = number
        self.address = address
        image = String(decoding: line[words[1].lowerBound..<last.upperBound], as: UTF8.self)
        let end = words.last?.upperBound ?? line.endIndex
        let restStart =
            addressIndex + 1 < words.count
            ? words[addressIndex + 1].lowerBound : words[addressIndex].upperBound
        rest = FrameSymbolText(line[restStart..<max(restStart, end)], at: address)
        imageStart = words[1].lowerBound - lineStart
        addressEnd = words[addressIndex].upperBound - lineStart
        restRange = restStart - lineStart..<max(restStart, end) - lineStart
        self.isQuoted = isQuoted
    }

    /// Returns the first word after a number and an image that is an address.
    private static func addressWord(_ words: Words, line: ArraySlice<UInt8>) -> Int? {
        guard words.count > 2 else { return nil }
        return (2..<words.count).first { UInt64(address: line[words[$0]]) != nil }
    }
}

/// The ranges of a line's words.
package struct Words: RandomAccessCollection {
    private var ranges: [Range<Int>] = []
    package var startIndex: Int { 0 }
    package var endIndex: Int { ranges.count }
    package subscript(index: Int) -> Range<Int> { ranges[index] }

    package init(_ line: ArraySlice<UInt8>) {
        var start: Int?
        var position = line.startIndex
        while position < line.endIndex {
            let isSpace = line[position] == 0x20 || line[position] == 0x09
            if !isSpace, start == nil { start = position }
            if isSpace, let begun = start {
                ranges.append(begun..<position)
                start = nil
            }
            position += 1
        }
        if let start { ranges.append(start..<line.endIndex) }
    }
}

extension UInt64 {
    /// Reads `0x104a2fac0`, or 8 to 18 zeros.
    init?(address text: ArraySlice<UInt8>) {
        if text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8) {
            self.init(hexDigits: text.dropFirst(2))
        } else if (8...18).contains(text.count), text.allSatisfy({ $0 == UInt8(ascii: "0") }) {
            self = 0
        } else {
            return nil
        }
    }

    /// Reads hexadecimal digits only, at most 16 after leading zeros.
    package init?(hexDigits text: ArraySlice<UInt8>) {
        guard !text.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in text {
            guard let digit = byte.hexDigitValue, value >> 60 == 0 else { return nil }
            value = value << 4 | digit
        }
        self = value
    }

    /// Reads `15040` or `0x3ac0`.
    init?(number text: ArraySlice<UInt8>) {
        if text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8) {
            self.init(hexDigits: text.dropFirst(2))
        } else {
            guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
            self.init(String(decoding: text, as: UTF8.self))
        }
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in either case.
    package var hexDigitValue: UInt64? {
        switch self {
        case 0x30...0x39: UInt64(self) - 0x30
        case 0x41...0x46: UInt64(self) - 0x37
        case 0x61...0x66: UInt64(self) - 0x57
        default: nil
        }
    }
}
