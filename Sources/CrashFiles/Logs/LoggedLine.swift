/// A line of text as a log has it: bare, behind a prefix, in several pieces, or in JSON records.
struct LoggedLine: Sendable {
    /// One stretch of the line, by its place in the file.
    struct Piece: Hashable, Sendable {
        /// The text alone.
        var content: Range<Int>
        /// All that the log spends on it: prefix, text and line break.
        var record: Range<Int>
    }

    /// Never empty. More than one where the log breaks long lines.
    var pieces: [Piece]
    var encoding: LogEncoding
    /// What ends a record of this log.
    var lineBreak: [UInt8]
    /// Whether the last piece ends in a line break, which at the end of a file it may lack.
    var isEnded: Bool

    /// Its bytes in the file, from the first record to the last.
    var range: Range<Int> {
        guard let first = pieces.first, let last = pieces.last else { return 0..<0 }
        return first.record.lowerBound..<max(first.record.lowerBound, last.record.upperBound)
    }

    /// The text of the line.
    func content(in file: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        for piece in pieces { encoding.append(file, piece.content, to: &content) }
        return content
    }
}

/// How a log writes the text of a line.
enum LogEncoding: Hashable, Sendable {
    case plain
    /// As the content of a JSON string.
    case json

    func append(_ file: [UInt8], _ range: Range<Int>, to text: inout [UInt8]) {
        guard self == .json else {
            text += file[range]
            return
        }
        for part in JSONStringParts(file, in: range) {
            switch part {
            case .verbatim(let range): text += file[range]
            case .escape(_, let character): text += Array(String(character).utf8)
            }
        }
    }

    func encoded(_ text: [UInt8]) -> [UInt8] { self == .json ? text.escapedForJSON : text }
}
