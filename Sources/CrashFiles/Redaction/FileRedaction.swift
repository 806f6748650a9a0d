public import CallStacks
import JSONText

/// Leaves out of a file what may tell a person, before anything is made of it: whatever is written
/// then, in whichever form, has none of it. What frames are found by stays as it is.
///
/// In a log only the reports are changed, and the lines before them in which Swift says why the
/// program stopped.
public struct FileRedaction: Sendable {
    private let level: RedactionLevel

    public init(_ level: RedactionLevel) { self.level = level }

    /// - Parameters:
    ///   - bytes: The file, without compression.
    ///   - file: What was read of it.
    /// - Complexity: O(*n* log *n*) in the size of the file.
    public func redacted(_ bytes: [UInt8], readAs file: CrashFile) -> [UInt8] {
        guard level != .none else { return bytes }
        return edits(of: bytes, readAs: file).applied(to: bytes)
    }

    private func edits(of bytes: [UInt8], readAs file: CrashFile) -> [Edit] {
        if file.reports.isEmpty {
            // It may be a report that is told and not read.
            return isDocument(bytes) ? edits(ofDocument: bytes, processes: nil) : []
        }
        if file.reports.allSatisfy(\.format.standsInLogs) {
            return edits(of: file.reports, inLog: bytes)
        }
        let isDump = file.reports.allSatisfy { $0.format == .spindump && $0.label != nil }
        return edits(
            ofDocument: bytes,
            processes: isDump ? Set(file.reports.compactMap(\.label)) : nil)
    }

    /// Whether a file is JSON and no log of records.
    private func isDocument(_ bytes: [UInt8]) -> Bool {
        var values = values(of: bytes)
        guard values.startsWithJSON else { return false }
        return values.next().map { LogForm.key(of: $0.root) == nil } ?? true
    }

    private func values(of bytes: [UInt8]) -> JSONValues {
        JSONValues(bytes, in: 0..<bytes.count, context: ReadingContext())
    }

    /// The changes of JSON values, one after another, and of the text around them.
    private func edits(ofDocument bytes: [UInt8], processes: Set<String>?) -> [Edit] {
        var values = values(of: bytes)
        var edits: [Edit] = []
        var end = 0
        func add(_ root: JSONValue) {
            edits += textEdits(of: bytes, in: end..<max(end, root.range.lowerBound), processes)
            edits += JSONRedaction(level: level).edits(of: root)
            end = max(end, root.range.upperBound)
            if let string = BrokenString(in: bytes, of: root) {
                edits.append(Edit(string.content, Array(RedactionLevel.placeholder.utf8)))
                end = bytes.count
            }
        }
        while values.startsWithJSON, let part = values.next() {
            if let header = part.context.header { add(header) }
            add(part.root)
        }
        if let header = values.header { add(header) }
        return edits + textEdits(of: bytes, in: end..<bytes.count, processes)
    }

    private func textEdits(
        of bytes: [UInt8], in range: Range<Int>, _ processes: Set<String>?
    ) -> [Edit] {
        TextRedaction.edits(of: bytes, in: range, level: level, processes: processes)
    }
}

extension FileRedaction {
    /// - Parameter reports: In their order.
    private func edits(of reports: [CrashReport], inLog bytes: [UInt8]) -> [Edit] {
        var edits: [Edit] = []
        // A record may hold the end of one report and the start of the next.
        var done = 0
        for report in reports where report.range.upperBound > done {
            let start = messageStart(before: report.range.lowerBound, in: bytes, notBefore: done)
            if let form = report.logForm, !report.isWholeObject {
                done = endOfLine(around: report.range.upperBound - 1, in: bytes)
                edits += self.edits(ofLines: start..<done, form, bytes)
            } else {
                let object = max(start, report.range.lowerBound)..<report.range.upperBound
                edits += self.edits(ofLines: start..<object.lowerBound, .bare, bytes)
                edits += self.edits(ofObject: bytes, in: object) ?? []
                done = object.upperBound
            }
        }
        return edits
    }

    private func endOfLine(around place: Int, in bytes: [UInt8]) -> Int {
        bytes[place...].firstIndex(of: .newline).map { $0 + 1 } ?? bytes.count
    }

    /// `nil` where no report in JSON stands there.
    private func edits(ofObject bytes: [UInt8], in range: Range<Int>) -> [Edit]? {
        guard let root = JSONDocument(bytes, in: range).root, SwiftObjectReport.fits(root)
        else { return nil }
        return JSONRedaction(level: level).edits(of: root)
    }

    private func edits(ofLines range: Range<Int>, _ form: LogForm, _ bytes: [UInt8]) -> [Edit] {
        var redaction = TextRedaction(level: level)
        return LogLines(bytes, in: range, form: form).flatMap { line in
            let content = line.content(in: bytes)
            if SwiftTextReport.isAnchor(content[...]),
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

    /// Where the line begins in which Swift says why the program stopped, if it stands before a
    /// report; else the line in which the report does.
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
    /// Whether it stands as JSON in the file itself, and not in the text of a log.
    fileprivate var isWholeObject: Bool {
        format == .swiftJSON && (logForm == nil || logForm == .bare)
    }
}
