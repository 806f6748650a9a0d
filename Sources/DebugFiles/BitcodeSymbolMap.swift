public import ByteReading

/// A `.bcsymbolmap`: the names that a bitcode build replaced by numbered placeholders.
///
/// It is a text file: a line with the version, then one line per name, which may also be that of a
/// file or folder. Only its file name identifies the build that it belongs to.
public struct BitcodeSymbolMap: Sendable {
    private let bytes: FileBytes
    /// The range of each name in the bytes.
    private let names: [Range<Int>]

    /// The maximum number of names. The largest apps have some hundred thousand.
    public static let namesLimit = 1 << 24

    private static let heading = Array("BCSymbolMap Version: ".utf8)
    private static let newline = UInt8(ascii: "\n")
    /// Clang's prefix for names that must not be mangled again.
    private static let verbatimMark: UInt8 = 1

    /// - Throws: `ReadingError` if the bytes are not a map or have over ``namesLimit`` names.
    public init(_ bytes: FileBytes) throws(ReadingError) {
        self.bytes = bytes
        names = try bytes.withSpan(of: 0..<bytes.count) { text throws(ReadingError) in
            guard Self.begins(text) else {
                throw ReadingError(
                    .malformed("is not a BCSymbolMap"), in: bytes.subject, at: 0)
            }
            return try Self.lines(of: text, subject: bytes.subject)
        }
    }

    public var count: Int { names.count }

    /// The number of bytes that identify a map.
    public static var headingLength: Int { heading.count }

    /// Whether a file that starts with the given text is a map.
    public static func begins(with text: String) -> Bool { text.utf8.starts(with: heading) }

    private static func begins(_ text: Span<UInt8>) -> Bool {
        text.count >= heading.count && heading.indices.allSatisfy { text[$0] == heading[$0] }
    }

    private static func lines(
        of text: Span<UInt8>, subject: String
    ) throws(ReadingError) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for index in text.indices where text[index] == newline {
            if start > 0 { lines.append(start..<index) }
            start = index + 1
            guard lines.count <= namesLimit else {
                throw ReadingError(
                    .malformed("has more than \(namesLimit) names"), in: subject, at: UInt64(index))
            }
        }
        if start > 0, start < text.count { lines.append(start..<text.count) }
        return lines
    }

    /// Calls `body` with the real name of a placeholder. Other names, and placeholders without a
    /// name in the map, are passed unchanged.
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
