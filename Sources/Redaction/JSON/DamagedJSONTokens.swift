import ReportFormats

/// Splits damaged JSON into tokens, in any layout.
///
/// If a quote is missing, every later closing quote on the line would begin a string. So a quote
/// before text that can only be a separator, as in `", "`, is skipped, and the strings after it are
/// read correctly. Text outside of strings is a word.
struct DamagedJSONTokens: Sequence, IteratorProtocol {
    enum Token {
        /// The content of a string, which ends with its line if its closing quote is missing.
        case string(Range<Int>)
        /// Text without quotes: a number, a literal, or the content of a string without its
        /// opening quote.
        case word(Range<Int>)
        case colon
        case comma
        case objectStart, objectEnd, arrayStart, arrayEnd
    }

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int
    /// Whether the latest token is a colon, after which a quote always begins a string.
    private var isAfterColon = false
    /// The rest of a line that has no further closing quote. Cached, so that it is searched only
    /// once even if many quotes are skipped.
    private var lineWithoutQuote = 0..<0

    static let quotationMark = UInt8(ascii: "\"")

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Token? {
        while position < end {
            let byte = bytes[position]
            if byte == Self.quotationMark {
                if let string = string() { return string }
            } else if let token = Self.symbol(byte) {
                position += 1
                isAfterColon = Self.isColon(byte)
                return token
            } else if byte <= .space {
                position += 1
            } else {
                return word()
            }
        }
        return nil
    }

    private static func symbol(_ byte: UInt8) -> Token? {
        switch byte {
        case UInt8(ascii: "{"): .objectStart
        case UInt8(ascii: "}"): .objectEnd
        case UInt8(ascii: "["): .arrayStart
        case UInt8(ascii: "]"): .arrayEnd
        case UInt8(ascii: ","): .comma
        case _ where isColon(byte): .colon
        default: nil
        }
    }

    /// A semicolon differs from a colon in one bit, so it may be a damaged colon.
    private static func isColon(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";")
    }

    /// Reads the string that starts here, or skips a quote that does not start a string.
    private mutating func string() -> Token? {
        let start = position + 1
        let stop =
            lineWithoutQuote.contains(start)
            ? lineWithoutQuote.upperBound : textEnd(from: start) { $0 == Self.quotationMark }
        let isTerminated = stop < end && bytes[stop] == Self.quotationMark
        if !isTerminated { lineWithoutQuote = start..<stop }
        if !isAfterColon, isSeparator(start..<stop, isTerminated: isTerminated) {
            position = start
            return nil
        }
        isAfterColon = false
        position = isTerminated ? stop + 1 : stop
        return .string(start..<stop)
    }

    private mutating func word() -> Token {
        let start = position
        isAfterColon = false
        position = textEnd(from: start + 1) {
            $0 == Self.quotationMark || ($0 != UInt8(ascii: ";") && Self.symbol($0) != nil)
        }
        var stop = position
        while bytes[stop - 1] <= .space { stop -= 1 }
        return .word(start..<stop)
    }

    /// Returns the position of the first byte that ends a text on this line. An escaped byte does
    /// not.
    private func textEnd(from start: Int, where ends: (UInt8) -> Bool) -> Int {
        var position = start
        while position < end, bytes[position] != .newline, !ends(bytes[position]) {
            let isEscape = bytes[position] == UInt8(ascii: "\\")
            position += isEscape && position + 1 < end && bytes[position + 1] != .newline ? 2 : 1
        }
        return position
    }

    /// Whether a text that ends at a quote, or at the end of the line, can only be the separator
    /// between two strings.
    private func isSeparator(_ range: Range<Int>, isTerminated: Bool) -> Bool {
        let text = bytes[range].trimmed
        guard let first = text.first, let last = text.last
        else { return !isTerminated && range.upperBound < end }
        let starts = ",:;}]".utf8.contains(first)
        return starts
            && (",:;{[".utf8.contains(last) || (!isTerminated && "]}".utf8.contains(last)))
    }
}
