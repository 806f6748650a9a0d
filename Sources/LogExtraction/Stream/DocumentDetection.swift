import JSONText
import ReportFormats

/// Distinguishes a document from a log.
enum DocumentDetection {
    /// Whether a stream with this beginning is a single document.
    static func begins(_ bytes: [UInt8]) -> Bool {
        if isBinary(bytes[...]) { return true }
        let first = bytes.first { !$0.isBlank && $0 != .newline && $0 != .carriageReturn }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == quote
    }

    private static let quote = UInt8(ascii: "\"")

    /// Whether the first bytes are those of a compressed or binary file.
    static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        UnreadReason(ofFile: Array(bytes.prefix(16))) != nil
    }

    /// Whether a line begins an object or a list of reports, rather than a log: `[INFO] ready`,
    /// `[2026-01-01] ready`.
    private static func beginsContainer(_ line: ArraySlice<UInt8>) -> Bool {
        guard let next = line.dropFirst().first(where: { !$0.isBlank }) else { return true }
        let wanted = line.first == UInt8(ascii: "{") ? "\"}" : "{[\"]"
        return wanted.utf8.contains(next)
    }

    /// Whether a JSON value is a report, or a payload of MetricKit.
    static func isReport(_ root: JSONValue) -> Bool {
        JSONReportInput.formats.contains { $0.fits(root) } || isPayload(root)
    }

    /// Whether a JSON value is a payload of MetricKit, or a part of one.
    static func isPayload(_ root: JSONValue) -> Bool {
        payloadKeys.contains { root[$0] != nil }
    }

    private static let payloadKeys = [
        "crashDiagnostics", "hangDiagnostics", "cpuExceptionDiagnostics",
        "diskWriteExceptionDiagnostics", "appLaunchDiagnostics", "callStackTree", "callStacks",
        "callStackThreads",
    ]

    /// The maximum number of brackets in a line that may begin a report.
    private static let bracketsLimit = 4

    /// A report in JSON in a line of text.
    struct InlineReport {
        var range: Range<Int>
        /// Whether its end was read.
        var isWhole: Bool
    }

    /// Returns the first report in a line that may have other text before and after it, such as
    /// `12:00:00 INFO payload {"crashDiagnostics":[…]}`, or `nil` if there is none.
    static func report(in line: ArraySlice<UInt8>) -> InlineReport? {
        guard BufferedDocument.mayBelongToReport(line) else { return nil }
        var position = line.startIndex
        for _ in 0..<bracketsLimit {
            guard let start = line[position...].firstIndex(of: UInt8(ascii: "{")) else { break }
            var reader = JSONReader(Array(line[start...]))
            let root = JSONDocument(readingFrom: &reader).root
            // Ordinary lines of logs have objects that resemble unsupported reports.
            let isSupported = root.map { isReport($0) && !UnsupportedJSONReport.fits($0) } ?? false
            guard let root, root.isWhole || isSupported else {
                position = start + 1
                continue
            }
            position = start + root.range.upperBound
            if isSupported {
                return InlineReport(range: start..<position, isWhole: root.isWhole)
            }
        }
        return nil
    }

    /// - Parameter line: A line that begins with a brace or a bracket.
    static func format(_ line: ArraySlice<UInt8>, isFirst: Bool) -> BufferedFormat? {
        if line.count == 1 { return document(line, isFirst: isFirst) }
        let isHeader = line.position(of: "\"bug_type\"") != nil
        let parsed = JSONDocument(Array(line))
        guard parsed.failure == nil, let root = parsed.root else {
            return isHeader || beginsContainer(line) ? openDocument(line, isFirst: isFirst) : nil
        }
        let isFirstHeader = isFirst && LogLayout.key(of: root) == nil && IPSHeader.fits(root)
        if isFirstHeader || (isHeader && root["threads"] == nil) {
            return document(line, isFirst: isFirst, isHeader: true)
        }
        if SwiftTextReport.isIdentified(by: line) { return .text }
        if LogLayout.key(of: root) != nil { return BufferedLogRecord.format(of: root) }
        return .value
    }

    private static func document(
        _ line: ArraySlice<UInt8>, isFirst: Bool, isHeader: Bool = false
    ) -> BufferedFormat {
        .document(BufferedDocument(startedBy: line, isFirst: isFirst, isHeader: isHeader))
    }

    /// Returns the format of a line whose JSON is incomplete. In a log, only one with a key of a
    /// report counts, because services print other objects too.
    private static func openDocument(
        _ line: ArraySlice<UInt8>, isFirst: Bool
    ) -> BufferedFormat? {
        let open = BufferedDocument(startedBy: line, isFirst: isFirst, isHeader: false)
        if line.position(of: "\"bug_type\"") != nil {
            return open.isDamaged
                ? document(line, isFirst: isFirst, isHeader: true) : .document(open)
        }
        return isFirst || (open.hasEvidence && !open.isDamaged) ? .document(open) : nil
    }

    /// Whether a line is a JSON string that contains an object or a list, as in JSON that was
    /// encoded twice.
    static func isQuotedDocument(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first == quote, line.last == quote, line.count > 2,
            let root = JSONDocument(Array(line)).root, let content = root.stringBytes,
            let first = content.first(where: { !$0.isBlank })
        else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
