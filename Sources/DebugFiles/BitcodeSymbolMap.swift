public import ByteReading

/// A `.bcsymbolmap`: the names that a bitcode build hid, by their numbers.
///
/// A text: a line with the version, then a line for each name, which may also be that of a file or
/// folder. Which build it is of, its own file name tells and nothing in it.
public struct BitcodeSymbolMap: Sendable {
    private let bytes: FileBytes
    /// Where each name lies in the bytes.
    private let names: [Range<Int>]

    /// The most names that are read. The largest apps have some hundred thousand.
    public static let namesLimit = 1 << 24

    private static let heading = Array("BCSymbolMap Version: ".utf8)
    private static let newline = UInt8(ascii: "\n")
    /// Clang puts it before names that are not to be mangled again.
    private static let verbatimMark: UInt8 = 1

    /// - Throws: For bytes that do not begin as a map does, and for more than ``namesLimit`` names.
    public init(_ bytes: FileBytes) throws(ReadingError) {
        self.bytes = bytes
        names = try bytes.withSpan(of: 0..<bytes.count) { text throws(ReadingError) in
            guard Self.begins(text) else {
                throw ReadingError(
                    .malformed("does not begin as a BCSymbolMap does"), in: bytes.subject, at: 0)
            }
            return try Self.lines(of: text, subject: bytes.subject)
        }
    }

    /// How many names it has.
    public var count: Int { names.count }

    private static func begins(_ text: Span<UInt8>) -> Bool {
        text.count >= heading.count && heading.indices.allSatisfy { text[$0] == heading[$0] }
    }

    /// The lines behind the first one.
    private static func lines(
        of text: Span<UInt8>, subject: String
    ) throws(ReadingError) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for place in text.indices where text[place] == newline {
            if start > 0 { lines.append(start..<place) }
            start = place + 1
            guard lines.count <= namesLimit else {
                throw ReadingError(
                    .malformed("has more than \(namesLimit) names"), in: subject, at: UInt64(place))
            }
        }
        if start > 0, start < text.count { lines.append(start..<text.count) }
        return lines
    }

    /// Calls `body` with the real name of a placeholder, and with any other name as it is. So it does
    /// with a placeholder that the map has no name for.
    func withName<Value>(of name: Span<UInt8>, _ body: (Span<UInt8>) -> Value) -> Value {
        guard let placeholder = PlaceholderName(name), placeholder.number < names.count,
            case var range = names[placeholder.number], !range.isEmpty
        else { return body(name) }
        return bytes.withSpan(of: 0..<bytes.count) { text in
            if text[range.lowerBound] == Self.verbatimMark
                || (placeholder.lacksUnderscore && text[range.lowerBound] == UInt8(ascii: "_"))
            {
                range = range.lowerBound + 1..<range.upperBound
            }
            return body(text.extracting(range))
        }
    }
}
