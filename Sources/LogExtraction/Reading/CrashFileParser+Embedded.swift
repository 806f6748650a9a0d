import CallStacks
import MetricKitPayloads
import ReportFormats

extension CrashFileParser {
    /// Reads a report whose lines are quoted.
    ///
    /// - Parameter range: The range of the lines.
    /// - Returns: Whether there is one.
    mutating func readQuoted(_ lines: TextLines, _ range: Range<Int>) -> Bool {
        guard !isNested, let text = QuotedReport(lines) else { return false }
        let found = nested(text.bytes)
        add(found, range: text.outer) { QuotedReportRewriter(text: text, report: $0) }
        guard !found.reports.isEmpty || !found.unread.isEmpty else { return false }
        file.embeddedTexts.append(EmbeddedText(range: range, source: text, content: found))
        return true
    }

    /// Reads text from strings of the file.
    func nested(_ text: [UInt8]) -> CrashFile {
        var parser = Self(text, context: context, isNested: true)
        parser.read(0..<text.count)
        return parser.file
    }

    /// Adds the content of text from strings of the file.
    ///
    /// - Parameters:
    ///   - range: Maps a range of the text to the file.
    ///   - logLayout: The form of the log that the text is from, or `nil` if it is not from a log.
    ///   - rewriter: Wraps the rewriter of the text in one for the file.
    mutating func add(
        _ nested: CrashFile, range: (Range<Int>) -> Range<Int>,
        logLayout: LogLayout? = nil,
        rewriter: (any ReportRewriter) -> any ReportRewriter
    ) {
        for var report in nested.reports {
            report.embed(range: range, rewriter: rewriter)
            report.logLayout = logLayout ?? report.logLayout
            file.reports.append(report)
        }
        for var unread in nested.unread {
            unread.range = range(unread.range)
            file.unread.append(unread)
        }
        file.remarks += nested.remarks
        if nested.hasUnsupportedReport { file.hasUnsupportedReport = true }
    }

    /// Reads the texts of a log's records under each key as one text.
    ///
    /// - Returns: Whether a text contains a report with a stack. If not, its lines only resemble
    ///   one.
    mutating func readRecords(_ range: Range<Int>) -> Bool {
        guard LogLayout.mayContainReport(bytes[range]) else { return false }
        let foundCount = file.reports.count
        for key in LogLayout.keys(in: bytes[range]) { readRecords(range, key: key) }
        file.reports[foundCount...].sort { $0.range.lowerBound < $1.range.lowerBound }
        joinRepetitions(from: foundCount)
        return file.reports.count > foundCount
    }

    /// Reads the texts of a list's elements under each key as one text, or a list of strings.
    ///
    /// - Returns: Whether a text contains a report with a stack.
    mutating func readList(_ range: Range<Int>) -> Bool {
        guard LogLayout.mayContainReport(bytes[range]), let list = ListedRecords(bytes, in: range)
        else { return false }
        let foundCount = file.reports.count
        for key in list.keys { read(JoinedRecords(bytes, in: list, key: key)) }
        if list.keys.isEmpty { read(JoinedRecords(bytes, in: list, key: nil)) }
        file.reports[foundCount...].sort { $0.range.lowerBound < $1.range.lowerBound }
        guard file.reports.count > foundCount else { return false }
        let rest = list.end..<range.upperBound
        if bytes[rest].contains(where: { $0 > 0x20 }) { postpone(rest) }
        return true
    }

    private mutating func readRecords(_ range: Range<Int>, key: String) {
        read(JoinedRecords(bytes, in: range, key: key))
    }

    private mutating func read(_ text: JoinedRecords) {
        guard LogLayout.mayContainReport(text.bytes[...]) else { return }
        var found = nested(text.bytes)
        found.reports.removeAll { $0.resolved().tree.frames.isEmpty }
        guard !found.reports.isEmpty else { return }
        found.unread = []
        if text.isTruncated { found.remarks.append(.sizeLimit) }
        add(found, range: text.range(of:), logLayout: text.layout) {
            JoinedRecordsRewriter(text: text, report: $0)
        }
        file.embeddedTexts.append(
            EmbeddedText(
                range: text.range(of: 0..<text.bytes.count), source: text, content: found))
    }

    /// Merges a stack that a record contains under two keys into one report, which is written to
    /// both.
    private mutating func joinRepetitions(from start: Int) {
        var joined: [CrashReport] = []
        for report in file.reports[start...] {
            if let last = joined.last, last.logLayout?.key != report.logLayout?.key,
                !bytes[last.range.lowerBound..<report.range.lowerBound].contains(.newline),
                last.resolved().tree == report.resolved().tree
            {
                joined[joined.count - 1].repetitions.append(report)
            } else {
                joined.append(report)
            }
        }
        file.reports.replaceSubrange(start..., with: joined)
    }
}
