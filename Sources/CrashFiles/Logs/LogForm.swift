import JSONText

/// How one log has its lines: bare or behind a prefix, or as a text in a JSON record a line.
struct LogForm: Hashable, Sendable {
    /// The key in the logs that Docker keeps of containers.
    static let containerKey = "log"
    /// The keys that logs have for the text of a record; the first that is there counts.
    static let textKeys = [containerKey, "message", "msg", "body", "textPayload", "MESSAGE"]

    /// The key of the text in JSON records; `nil` where lines are bare.
    var key: String?
    /// Whether the texts of records end in line breaks of their own, so that one without goes on in
    /// the next record.
    var hasOwnBreaks = false
    var prefix: LinePrefix

    static let bare = Self(prefix: .none)

    /// The text of a JSON record.
    struct Text {
        var key: String
        /// Its content in the file, between the quotes.
        var range: Range<Int>
    }

    /// Where a JSON value has its text, if it is a record of a log.
    static func key(of value: JSONValue) -> String? {
        textKeys.first { value[$0]?.kind == .string }
    }

    /// Whether words stand in a log that reports have, so that it is worth to read all records.
    static func mayHoldReport(_ log: ArraySlice<UInt8>) -> Bool {
        ["Binary Images:", "usedImages", "Thread 0"].contains { log.position(of: $0) != nil }
    }

    /// The text of a line that is a JSON record.
    ///
    /// - Parameter key: Under which it is; `nil` for any of ``textKeys``.
    static func text(of line: Range<Int>, in file: [UInt8], key: String? = nil) -> Text? {
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

    /// The stretches between line breaks (LF or CR LF) in the content of a JSON string. The last one is
    /// empty where the content ends in a line break.
    static func lines(of content: Range<Int>, in file: [UInt8]) -> [LoggedLine.Piece] {
        var lines: [LoggedLine.Piece] = []
        var start = content.lowerBound
        var end = start
        for part in JSONStringParts(file, in: content) {
            switch part {
            case .escape(let range, "\n"):
                lines.append(
                    LoggedLine.Piece(content: start..<end, record: start..<range.upperBound))
                start = range.upperBound
                end = start
            // A carriage return belongs to the line only if something follows in it.
            case .escape(_, "\r"): break
            case .escape(let range, _), .verbatim(let range): end = range.upperBound
            }
        }
        lines.append(
            LoggedLine.Piece(
                content: start..<content.upperBound, record: start..<content.upperBound))
        return lines
    }
}
