import JSONText

/// A record of a log in JSON, as far as it tells where one of Apple's reports stands in the log.
struct HeldRecord {
    private let text: ArraySlice<UInt8>

    /// - Parameter root: The record; `nil` for other values.
    init?(_ root: JSONValue) {
        guard let key = LogForm.key(of: root), let text = root[key]?.stringBytes else { return nil }
        self.text = Array(text)[...].trimmed
    }

    /// - Parameter line: Without its end.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.first == UInt8(ascii: "{"), let root = JSONDocument(Array(line)).root
        else { return nil }
        self.init(root)
    }

    /// What is held from the record on; `nil` where it begins nothing.
    var format: HeldFormat? {
        if text.contains(.newline), LogForm.mayHoldReport(text) { return .value }
        if text.starts(with: "Process:".utf8) { return .recordHeading }
        let isHeader = isJSON && text.position(of: "\"bug_type\"") != nil
        return isHeader || CrashText.isAnchor(text) ? .records : nil
    }

    /// Whether it is a line of a head, as `Path:                /Applications/Orchard.app/Orchard`.
    var isHeading: Bool { HeldFormat.isHeading(text) }

    /// Whether it is certainly of a report: an address, a line of JSON, or an end.
    var isFull: Bool { isJSON || endsReport || text.position(of: "0x") != nil }

    /// Whether a report ends in it.
    var endsReport: Bool { ["}", "EOF"].contains { text.elementsEqual($0.utf8) } }

    private var isJSON: Bool { text.first.map(Array("\"{}[]".utf8).contains) ?? false }
}
