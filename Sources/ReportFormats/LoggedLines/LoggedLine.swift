/// A line of text in a log: plain, after a prefix, in several fragments, or in JSON records.
package struct LoggedLine: Sendable {
    /// A contiguous part of the line in the file.
    package struct Fragment: Hashable, Sendable {
        /// The text alone.
        package var content: Range<Int>
        /// The whole entry in the log: prefix, text and line break.
        package var record: Range<Int>

        package init(content: Range<Int>, record: Range<Int>) {
            self.content = content
            self.record = record
        }
    }

    /// The parts of the line, never empty. Logs that break long lines have several.
    package var fragments: [Fragment]
    package var encoding: LogEncoding
    /// The end of a record in this log.
    package var lineBreak: [UInt8]
    /// Whether the last fragment ends in a line break, which may be missing at the end of a file.
    package var isEnded: Bool

    package init(
        fragments: [Fragment], encoding: LogEncoding, lineBreak: [UInt8], isEnded: Bool
    ) {
        self.fragments = fragments
        self.encoding = encoding
        self.lineBreak = lineBreak
        self.isEnded = isEnded
    }

    /// The bytes in the file from the first record to the last.
    package var range: Range<Int> {
        guard let first = fragments.first, let last = fragments.last else { return 0..<0 }
        return first.record.lowerBound..<max(first.record.lowerBound, last.record.upperBound)
    }

    /// Returns the text of the line.
    package func content(in file: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        for fragment in fragments { encoding.append(file, fragment.content, to: &content) }
        return content
    }
}

/// The encoding of a line's text in a log.
package enum LogEncoding: Hashable, Sendable {
    case plain
    /// The content of a JSON string.
    case json

    func append(_ file: [UInt8], _ range: Range<Int>, to text: inout [UInt8]) {
        guard self == .json else {
            text += file[range]
            return
        }
        for token in JSONStringTokens(file, in: range) {
            switch token {
            case .verbatim(let range): text += file[range]
            case .escape(_, let character): text += Array(String(character).utf8)
            }
        }
    }

    func encoded(_ text: [UInt8]) -> [UInt8] { self == .json ? text.escapedForJSON : text }
}
