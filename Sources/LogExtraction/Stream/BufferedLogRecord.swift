import JSONText
import ReportFormats

/// A JSON log record, reduced to the text that shows where one of Apple's reports begins and ends
/// in the log.
struct BufferedLogRecord {
    /// The text of the record, without a line break at its end.
    let line: ArraySlice<UInt8>
    private let text: ArraySlice<UInt8>
    private let key: String

    /// - Parameters:
    ///   - root: The value. The result is `nil` if it is not a record.
    ///   - key: The key of the text, or `nil` for the record's first one.
    init?(_ root: JSONValue, key: String? = nil) {
        guard let key = key ?? LogLayout.key(of: root),
            let text = LogLayout.string(at: key, in: root)?.stringBytes
        else { return nil }
        line = Array(text)[...].droppingLineEnd
        self.text = line.trimmed
        self.key = key
    }

    /// - Parameters:
    ///   - line: The line without its end.
    ///   - key: The key of the text, or `nil` for the record's first one.
    init?(_ line: ArraySlice<UInt8>, key: String? = nil) {
        guard line.first == UInt8(ascii: "{"), let root = JSONDocument(Array(line)).root
        else { return nil }
        self.init(root, key: key)
    }

    /// Returns the format to buffer from a record on, or `nil` if none of its texts begins a
    /// report.
    static func format(of root: JSONValue) -> BufferedFormat? {
        LogLayout.keys(of: root).lazy.compactMap { Self(root, key: $0)?.format }.first
    }

    /// The format to buffer from this record on, or `nil` if it does not begin a report.
    var format: BufferedFormat? {
        if text.contains(.newline),
            LogLayout.mayContainReport(text) || StandaloneFrames.isIdentified(by: text)
        {
            return .value
        }
        if let report = DocumentDetection.report(in: text) {
            // A container's log splits a long line into several records.
            return report.isWhole ? .value : .records
        }
        if text.starts(with: "Process:".utf8) { return .recordHeading }
        let isHeader = isJSON && text.position(of: "\"bug_type\"") != nil
        if isHeader || CrashText.isIdentified(by: text) { return .records }
        return LinuxStacks.number(begunBy: line).map {
            .stackRecords(PrefixedNotation($0, after: line), key: key)
        }
    }

    /// Whether it is a header line such as
    /// `Path:                /Applications/Orchard.app/Orchard`.
    var isHeading: Bool { BufferedFormat.isHeading(text) }

    /// Whether it certainly belongs to a report: an address, a line of JSON, or an end.
    var isFull: Bool { isJSON || endsReport || text.position(of: "0x") != nil }

    /// Whether it ends a report.
    var endsReport: Bool { ["}", "EOF"].contains { text.elementsEqual($0.utf8) } }

    private var isJSON: Bool { text.first.map(Array("\"{}[]".utf8).contains) ?? false }
}
