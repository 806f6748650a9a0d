public import CallStacks
import JSONText
public import ReportFormats

/// Redacts a file before it is processed, so that no output contains private values. Values that
/// are needed to look up frames stay unchanged.
///
/// In a log, only reports are redacted, and the lines in which Swift states why the program
/// stopped.
public struct FileRedaction: Sendable {
    private let level: RedactionLevel

    public init(_ level: RedactionLevel) { self.level = level }

    /// - Parameters:
    ///   - bytes: The file, decompressed.
    ///   - file: The reports of the file.
    /// - Complexity: O(*n* log *n*) in the size of the file.
    public func redacted(_ bytes: [UInt8], readAs file: CrashFile) -> [UInt8] {
        // Binary reports store lengths before texts; only the diagnostics read from them are
        // redacted.
        let isBinary = file.reports.contains { $0.format == .plcrash }
        guard level != .none, !isBinary else { return bytes }
        return edits(of: bytes, readAs: file).applied(to: bytes)
    }

    private func edits(of bytes: [UInt8], readAs file: CrashFile) -> [Edit] {
        if file.reports.isEmpty {
            // It may be a report that is recognised but not supported.
            return isDocument(bytes) ? edits(ofDocument: bytes, processes: nil) : []
        }
        if file.reports.allSatisfy(\.format.occursInLogs) {
            return edits(of: file.reports, inLog: bytes)
        }
        let isDump = file.reports.allSatisfy { $0.format == .spindump && $0.label != nil }
        return edits(
            ofDocument: bytes,
            processes: isDump ? Set(file.reports.compactMap(\.label)) : nil)
    }

    /// Whether a file is JSON rather than a log of records.
    private func isDocument(_ bytes: [UInt8]) -> Bool {
        var values = values(of: bytes)
        guard values.startsWithJSON else { return false }
        return values.next().map { LogLayout.textKey(of: $0.root) == nil } ?? true
    }

    private func values(of bytes: [UInt8]) -> JSONValueSequence {
        JSONValueSequence(bytes, in: 0..<bytes.count, context: ReadingContext())
    }

    /// Returns the edits of consecutive JSON values, and of the text around them.
    private func edits(ofDocument bytes: [UInt8], processes: Set<String>?) -> [Edit] {
        var values = values(of: bytes)
        var edits: [Edit] = []
        var end = 0
        func add(_ root: JSONValue) {
            edits += textEdits(
                of: bytes, in: end..<max(end, root.range.lowerBound), processes: processes)
            edits += JSONRedaction(level: level).edits(of: root)
            end = max(end, root.range.upperBound)
            if let string = UnterminatedString(in: bytes, of: root) {
                edits.append(Edit(string.content, Array(RedactionLevel.placeholder.utf8)))
                end = bytes.count
            }
        }
        while values.startsWithJSON, let input = values.next() {
            if let header = input.context.header { add(header) }
            add(input.root)
        }
        if let header = values.header { add(header) }
        return edits + textEdits(of: bytes, in: end..<bytes.count, processes: processes)
    }

    private func textEdits(
        of bytes: [UInt8], in range: Range<Int>, processes: Set<String>?
    ) -> [Edit] {
        TextRedaction.edits(of: bytes, in: range, level: level, processes: processes)
    }
}

extension FileRedaction {
    /// - Parameter reports: In the order of the file.
    private func edits(of reports: [CrashReport], inLog bytes: [UInt8]) -> [Edit] {
        var edits: [Edit] = []
        // A record may contain the end of one report and the start of the next, and reports in
        // several of its texts.
        var done: [String?: Int] = [:]
        for report in reports.flatMap({ [$0] + $0.repetitions }) {
            let key = report.logLayout?.key
            let floor = done[key] ?? 0
            guard report.range.upperBound > floor else { continue }
            let start = messageStart(before: report.range.lowerBound, in: bytes, notBefore: floor)
            if let layout = report.logLayout, !report.isWholeObject {
                let end = endOfLine(around: report.range.upperBound - 1, in: bytes)
                edits += self.edits(
                    ofLines: start..<end, layout: layout, format: report.format, bytes: bytes)
                done[key] = end
            } else {
                let object = max(start, report.range.lowerBound)..<report.range.upperBound
                edits += self.edits(
                    ofLines: start..<object.lowerBound, layout: .bare, format: report.format,
                    bytes: bytes)
                edits += self.edits(ofObject: bytes, in: object) ?? []
                done[key] = object.upperBound
            }
        }
        return edits
    }

    private func endOfLine(around position: Int, in bytes: [UInt8]) -> Int {
        bytes[position...].firstIndex(of: .newline).map { $0 + 1 } ?? bytes.count
    }

    /// Returns `nil` if the range is not a report in JSON.
    private func edits(ofObject bytes: [UInt8], in range: Range<Int>) -> [Edit]? {
        guard let root = JSONDocument(bytes, in: range).root, SwiftJSONReport.fits(root)
        else { return nil }
        return JSONRedaction(level: level).edits(of: root)
    }

    private func edits(
        ofLines range: Range<Int>, layout: LogLayout, format: CrashFormat, bytes: [UInt8]
    ) -> [Edit] {
        var redaction = TextRedaction(level: level, format: format)
        return ProcessLogLines(bytes, in: range, layout: layout).flatMap { line in
            let content = line.content(in: bytes)
            if SwiftTextReport.isIdentified(by: content[...]),
                let brace = content.firstIndex(of: UInt8(ascii: "{")),
                let changes = edits(ofObject: content, in: brace..<content.count)
            {
                return line.edits(changes, in: bytes)
            }
            switch redaction.change(of: content[...]) {
            case .removed: return line.edits(rewritingAs: [], in: bytes)
            case .edited(let changes): return line.edits(changes, in: bytes)
            }
        }
    }

    /// Returns the start of the line in which Swift states why the program stopped, if it precedes
    /// a report; otherwise the start of the report's line.
    private func messageStart(before report: Int, in bytes: [UInt8], notBefore floor: Int) -> Int {
        let first =
            bytes[floor..<max(report, floor)].lastIndex(of: .newline).map { $0 + 1 } ?? floor
        var start = first
        for _ in 0..<SwiftPreamble.linesLimit where start > floor {
            let end = start
            start = bytes[...].lineStart(1, linesBefore: start, notBefore: floor)
            if SwiftPreamble.isMessage(bytes[start..<end]) { return start }
        }
        return first
    }
}

extension CrashReport {
    /// Whether the report is JSON of the file itself, rather than of a log's text.
    fileprivate var isWholeObject: Bool {
        format == .swiftJSON && (logLayout == nil || logLayout == .bare)
    }
}
