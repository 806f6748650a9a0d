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
    private let isWholeDocument: Bool

    /// - Parameter isWholeDocument: Whether the files are not logs, so that all of their text is
    ///   redacted even if it looks like a record of a log.
    public init(_ level: RedactionLevel, isWholeDocument: Bool = false) {
        self.level = level
        self.isWholeDocument = isWholeDocument
    }

    /// - Parameters:
    ///   - bytes: The file, decompressed.
    ///   - file: The reports of the file.
    /// - Complexity: O(*n* log *n*) in the size of the file.
    public func redacted(_ bytes: [UInt8], readAs file: CrashFile) -> [UInt8] {
        // Binary reports store lengths before texts, so the diagnostics read from them are redacted
        // instead, with their details.
        let isBinary = file.reports.contains(where: \.format.isBinary)
        guard level != .none, !isBinary else { return bytes }
        return edits(of: bytes, readAs: file).applied(to: bytes)
    }

    private func edits(of bytes: [UInt8], readAs file: CrashFile) -> [Edit] {
        let isLog = !file.reports.isEmpty && file.reports.allSatisfy(\.format.occursInLogs)
        // In a log, the lines of a report are found by its layout, not as embedded text.
        let embedded = file.embeddedTexts.filter { !isLog || $0.source.stringStarts == nil }
        let inside = embedded.flatMap {
            $0.source.fileEdits(edits(of: $0.source.bytes, readAs: $0.content))
        }
        let quotes = embedded.filter { $0.source.stringStarts == nil }.map(\.range)
        let reports = file.reports.filter { report in
            !quotes.contains { $0.contains(report.range.lowerBound) }
        }
        if isLog { return inside + edits(of: reports, inLog: bytes) }
        // A file without reports may be a report that is recognised but not supported.
        if file.reports.isEmpty, embedded.isEmpty, !isWholeDocument, !isDocument(bytes) {
            return []
        }
        let document = document(bytes, file, reports: reports, embedded: embedded)
        return inside + edits(of: document, in: bytes.indices, around: quotes)
    }

    /// Returns the redaction of the file's JSON and text.
    ///
    /// - Parameters:
    ///   - reports: The reports outside of quotes.
    ///   - embedded: The texts that are redacted without their surroundings.
    private func document(
        _ bytes: [UInt8], _ file: CrashFile, reports: [CrashReport], embedded: [EmbeddedText]
    ) -> DocumentRedaction {
        let isDump = reports.allSatisfy { $0.format == .spindump && $0.label != nil }
        var json = JSONRedaction(level: level)
        json.excluded = ExcludedStrings(
            startingAt: embedded.flatMap { $0.source.stringStarts ?? [] })
        return DocumentRedaction(
            bytes, json: json,
            processes: isDump && !reports.isEmpty ? Set(reports.compactMap(\.label)) : nil,
            knownStarts: Set(
                reports.map(\.range.lowerBound) + file.unread.map(\.range.lowerBound)))
    }

    /// Returns the edits of a text around its quotes.
    private func edits(
        of document: DocumentRedaction, in range: Range<Int>, around quotes: [Range<Int>]
    ) -> [Edit] {
        var document = document
        var start = range.lowerBound
        for quote in quotes {
            document.redact(start..<max(start, quote.lowerBound), readsFirstValue: start == 0)
            start = max(start, quote.upperBound)
        }
        document.redact(start..<max(start, range.upperBound), readsFirstValue: start == 0)
        return document.edits
    }

    /// Whether a file is JSON rather than a log of records.
    private func isDocument(_ bytes: [UInt8]) -> Bool {
        var values = JSONValueSequence(bytes, in: bytes.indices, context: ReadingContext())
        guard values.startsWithJSON else { return false }
        return values.next().map { LogLayout.textKey(of: $0.root) == nil } ?? true
    }
}

extension FileRedaction {
    /// - Parameter reports: In the order of the file.
    private func edits(of reports: [CrashReport], inLog bytes: [UInt8]) -> [Edit] {
        var edits: [Edit] = []
        // A record may contain the end of one report and the start of the next, or reports in
        // several of its fields.
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
