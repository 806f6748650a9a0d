import JSONText
import ReportFormats

extension CrashFileParser {
    /// Reads a text in the format that its lines identify. An `.ips` report after other text is
    /// read as such, unless it is itself inside an `.ips` report.
    mutating func readText(
        _ range: Range<Int>, header: JSONValue?, mayContainReport: Bool
    ) {
        let range = firstPart(of: range)
        let lines = TextLines(bytes, in: range)
        let detector = TextFormatDetector(in: lines)
        if isLaterPart, let format = detector.format, format == CrashText.self {
            guard let start = Self.reportStart(in: lines) else { return }
            if start > range.lowerBound {
                return readText(
                    start..<range.upperBound, header: header, mayContainReport: mayContainReport)
            }
        }
        let isIdentified =
            detector.format.map(BufferedFormat.startsReport) ?? (detector.embeddedReport != nil)
        if !isIdentified, mayContainReport, readQuoted(lines, range) { return }
        let foundCount = file.reports.count + file.unread.count
        // Text after JSON belongs to the report before it, unless it is a report itself.
        if let format = detector.format, !isLaterPart || !BufferedFormat.isRow(format) {
            read(lines, as: format, detector, header: header)
        }
        if file.reports.count + file.unread.count > foundCount { return }
        if mayContainReport, let line = detector.embeddedReport {
            _ = readValues(lines.ranges[line].lowerBound..<range.upperBound)
        } else if mayContainReport, readInlineReports(lines) {
            return
        } else if let reason = IPSHeader(header)?.bugType?.unreadReason {
            file.addUnread(reason, at: range)
        }
    }

    /// Reads the reports in JSON that follow other text in their lines.
    ///
    /// - Returns: Whether there are any.
    private mutating func readInlineReports(_ lines: TextLines) -> Bool {
        let foundCount = file.reports.count
        for range in lines.ranges {
            var rest = range
            for _ in 0..<Self.inlineReportsLimit {
                guard let report = DocumentDetection.report(in: bytes[rest]), report.isWhole
                else { break }
                _ = readValues(report.range)
                rest = report.range.upperBound..<range.upperBound
            }
        }
        return file.reports.count > foundCount
    }

    /// The maximum number of reports in one line. Each search copies the rest of the line.
    private static let inlineReportsLimit = 16

    /// Reads lines in a format, or in that of an excerpt in them if the first finds no report, and
    /// then the JSON after the text of a report.
    private mutating func read(
        _ lines: TextLines, as format: any TextReportFormat.Type, _ detector: TextFormatDetector,
        header: JSONValue?
    ) {
        let foundCount = file.reports.count + file.unread.count
        var context = context
        context.header = header
        let isReport = format == CrashText.self
        let body = isReport ? detector.embeddedReport.flatMap(lines.rangeOfJSON) : nil
        let text =
            body.map { TextLines(bytes, in: lines.ranges[0].lowerBound..<$0.lowerBound) } ?? lines
        format.read(TextReportInput(lines: text, context: context), into: &file)
        if file.reports.count + file.unread.count == foundCount, let tree = detector.excerpt {
            tree.read(TextReportInput(lines: text, context: context), into: &file)
        }
        guard let body else { return }
        if text.announcesFullReport { readRepetition(body) } else { _ = readValues(body) }
    }

    /// Returns the start of the first report's header. Rows without a header that follow JSON, such
    /// as a `System Profile`, belong to the report before them.
    private static func reportStart(in lines: TextLines) -> Int? {
        lines.indices.first { CrashText.startsReport(lines.content($0)) }
            .map { lines.ranges[$0].lowerBound }
    }

    /// Reads the last report again, from the JSON that follows its text.
    private mutating func readRepetition(_ range: Range<Int>) {
        guard let last = file.reports.indices.last else { return }
        var parser = Self(bytes, context: context, isNested: true)
        _ = parser.readValues(range)
        file.reports[last].repetitions = parser.file.reports
        if let text = parser.unreadText { postpone(text) }
    }
}
