package import JSONText

/// The layout of a log: plain lines, lines after a prefix, or JSON records with a text.
package struct LogLayout: Hashable, Sendable {
    /// The key of the text in Docker's container logs.
    package static let containerKey = "log"
    /// The keys under which logs store a record's text.
    static let textKeys = [containerKey, "message", "msg", "body", "textPayload", "MESSAGE"]
    /// The keys under which logs store a stack beside a record's text. A key with dots may also
    /// stand for nested objects: `error.stack_trace` for `{"error":{"stack_trace":"…"}}`.
    static let stackKeys = [
        "stack", "stacktrace", "stack_trace", "stackTrace", "backtrace", "error", "exception",
        "exc_info", "exception.stacktrace", "attributes.exception.stacktrace",
        "error.stack_trace", "error.stack", "err.stack",
    ]

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
        package var key: String
        /// The range of its content in the file, between the quotes.
        package var range: Range<Int>
    }

    /// Returns the key of the text in a JSON value, if it is a log record. A record without a text
    /// may have a stack.
    package static func key(of value: JSONValue) -> String? {
        textKey(of: value)
            ?? stackKeys.first { key in
                string(at: key, in: value)?.stringBytes.map { mayContainReport(Array($0)[...]) }
                    == true
            }
    }

    /// Returns the first of ``textKeys`` in a JSON value, or `nil` if there is none.
    package static func textKey(of value: JSONValue) -> String? {
        textKeys.first { value[$0]?.kind == .string }
    }

    /// Returns the keys of all texts in a log record, the first of its ``textKeys`` first.
    package static func keys(of value: JSONValue) -> [String] {
        (textKeys + stackKeys).filter { string(at: $0, in: value) != nil }
    }

    /// Returns the keys of texts that a log may have, by the names in it.
    package static func keys(in log: ArraySlice<UInt8>) -> [String] {
        (textKeys + stackKeys).filter { log.position(of: quotedName(of: $0)) != nil }
    }

    /// The last name of a key, with its closing quote.
    private static func quotedName(of key: String) -> String {
        "\(key.split(separator: ".").last ?? "")\""
    }

    /// Returns the string under a key, which may stand for nested objects.
    package static func string(at key: String, in value: JSONValue) -> JSONValue? {
        if let own = value[key] { return own.kind == .string ? own : nil }
        var dot = key.startIndex
        while let next = key[dot...].firstIndex(of: ".") {
            dot = key.index(after: next)
            guard let inner = value[String(key[..<next])], inner.kind == .object else { continue }
            if let found = string(at: String(key[dot...]), in: inner) { return found }
        }
        return nil
    }

    /// Whether a log contains words of reports, so that reading all records is worthwhile.
    package static func mayContainReport(_ log: ArraySlice<UInt8>) -> Bool {
        reportWords.contains { log.position(of: $0) != nil }
            || LinePrefilter.ofStacks.admits(log) || mayContainFrames(log)
    }

    private static let reportWords = [
        "Binary Images:", "usedImages", "Thread 0", "callStack", "binary_images", "productData",
        "debug_meta",
    ]

    /// Whether a text contains the parts of frame lines without a report around them:
    /// `1   Orchard   0x0000000104a303e0 4C4C4481-5555-3144-A199-BFCEAE3FE729 + 17376`.
    private static func mayContainFrames(_ text: ArraySlice<UInt8>) -> Bool {
        text.position(of: " 0x") != nil && text.position(of: " + ") != nil
    }

    /// Returns the text of a line that is a JSON record.
    ///
    /// - Parameters:
    ///   - key: The key of the text, or `nil` for any.
    ///   - position: A position in the text, or `nil` for any.
    package static func text(
        of line: Range<Int>, in file: [UInt8], key: String? = nil, around position: Int? = nil
    ) -> Text? {
        let bare = file[line].trimmed
        guard bare.first == UInt8(ascii: "{"), bare.last == UInt8(ascii: "}"),
            key.map({ bare.position(of: quotedName(of: $0)) != nil }) ?? true
        else { return nil }
        var reader = JSONReader(file, in: bare.startIndex..<bare.endIndex)
        let document = JSONDocument(readingFrom: &reader)
        guard document.failure == nil, let root = document.root else { return nil }
        for key in key.map({ [$0] }) ?? keys(of: root) {
            guard let value = string(at: key, in: root),
                position.map(value.range.contains) ?? true
            else { continue }
            return Text(key: key, range: value.range)
        }
        return nil
    }

    /// Splits the content of a JSON string at line breaks (LF or CR LF). The last element is empty
    /// if the content ends in a line break.
    package static func lines(of content: Range<Int>, in file: [UInt8]) -> [LoggedLine.Fragment] {
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
