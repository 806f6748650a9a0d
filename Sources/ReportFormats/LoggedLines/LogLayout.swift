package import JSONText

/// The layout of a log: plain lines, lines after a prefix, or JSON records with a text.
package struct LogLayout: Hashable, Sendable {
    /// The key of the text in Docker's container logs.
    package static let containerKey = "log"
    /// The keys under which logs store a record's text. The first one present is used.
    static let textKeys = [containerKey, "message", "msg", "body", "textPayload", "MESSAGE"]

    /// The key of the text in JSON records, or `nil` if lines are plain.
    package var key: String?
    /// Whether texts include their line breaks, so that one without a break continues in the next
    /// record.
    package var hasOwnBreaks: Bool
    package var prefix: LinePrefix

    package init(key: String? = nil, hasOwnBreaks: Bool = false, prefix: LinePrefix) {
        self.key = key
        self.hasOwnBreaks = hasOwnBreaks
        self.prefix = prefix
    }

    package static let bare = Self(prefix: .none)

    /// The text of a JSON record.
    package struct Text {
        var key: String
        /// The range of its content in the file, between the quotes.
        package var range: Range<Int>
    }

    /// Returns the key of the text in a JSON value, if it is a log record.
    package static func key(of value: JSONValue) -> String? {
        textKeys.first { value[$0]?.kind == .string }
    }

    /// Whether a log contains words of reports, so that reading all records is worthwhile.
    package static func mayContainReport(_ log: ArraySlice<UInt8>) -> Bool {
        ["Binary Images:", "usedImages", "Thread 0"].contains { log.position(of: $0) != nil }
            || LinePrefilter.ofStacks.admits(log)
    }

    /// Returns the text of a line that is a JSON record.
    ///
    /// - Parameter key: The key of the text, or `nil` for any of ``textKeys``.
    package static func text(of line: Range<Int>, in file: [UInt8], key: String? = nil) -> Text? {
        let bare = file[line].trimmed
        guard bare.first == UInt8(ascii: "{"), bare.last == UInt8(ascii: "}") else { return nil }
        var reader = JSONReader(file, in: bare.startIndex..<bare.endIndex)
        let document = JSONDocument(readingFrom: &reader)
        guard document.failure == nil, let root = document.root else { return nil }
        for key in key.map({ [$0] }) ?? Self.textKeys {
            guard let value = root[key], value.kind == .string else { continue }
            return Text(key: key, range: value.range)
        }
        return nil
    }

    /// Splits the content of a JSON string at line breaks (LF or CR LF). The last element is empty
    /// if the content ends in a line break.
    static func lines(of content: Range<Int>, in file: [UInt8]) -> [LoggedLine.Fragment] {
        var lines: [LoggedLine.Fragment] = []
        var start = content.lowerBound
        var end = start
        for token in JSONStringTokens(file, in: content) {
            switch token {
            case .escape(let range, "\n"):
                lines.append(
                    LoggedLine.Fragment(content: start..<end, record: start..<range.upperBound))
                start = range.upperBound
                end = start
            // A carriage return belongs to the line only if text follows it.
            case .escape(_, "\r"): break
            case .escape(let range, _), .verbatim(let range): end = range.upperBound
            }
        }
        lines.append(
            LoggedLine.Fragment(
                content: start..<content.upperBound, record: start..<content.upperBound))
        return lines
    }
}
