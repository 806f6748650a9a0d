import CallStacks
import JSONText
import MetricKitPayloads
import ReportFormats

/// Detects the parts of a file from the content, and reads each in its format.
struct CrashFileParser {
    private let bytes: [UInt8]
    private let context: ReadingContext
    /// Whether the text comes from a string in another file.
    private let isNested: Bool
    private(set) var file = CrashFile()
    private var boundary: ReportBoundary?
    /// The text after the part that is being read.
    private var unreadText: Range<Int>?
    /// Whether a part before this one was read.
    private var isLaterPart = false
    /// The maximum number of parts of different kinds.
    private static let partsLimit = 256

    init(_ bytes: [UInt8], context: ReadingContext, isNested: Bool = false) {
        self.bytes = bytes
        self.isNested = isNested
        self.context = context
    }

    /// Reads a text part by part. Each part has reports of one kind.
    mutating func read(_ range: Range<Int>) {
        boundary = ReportBoundary(bytes, context: context)
        readPart(range)
        isLaterPart = true
        for part in 1... {
            guard let text = unreadText, !text.isEmpty else { return }
            unreadText = nil
            if part == Self.partsLimit {
                boundary = nil
                file.remarks.append(.sizeLimit)
            }
            readPart(text)
            if part == Self.partsLimit { return }
        }
    }

    private mutating func readPart(_ range: Range<Int>) {
        // Text after a report begins with a bracket only if it is one in JSON.
        let mayBeJSON = !isLaterPart || bytes[range.lowerBound] == UInt8(ascii: "{")
        if mayBeJSON, readValues(range) { return }
        readText(range, header: nil, mayContainReport: !isLaterPart)
    }

    /// Leaves the end of the part, and what follows the part, to be read as the next one.
    private mutating func postpone(_ text: Range<Int>) {
        unreadText = text.lowerBound..<(unreadText?.upperBound ?? text.upperBound)
    }

    /// Returns the text up to the first report of another kind, which is postponed.
    private mutating func firstPart(of range: Range<Int>) -> Range<Int> {
        guard let start = boundary?.next(in: range) else { return range }
        postpone(start..<range.upperBound)
        return range.lowerBound..<start
    }

    /// Reads JSON values, and the text after an `.ips` header.
    ///
    /// - Returns: `false` if the text is not JSON.
    private mutating func readValues(_ range: Range<Int>) -> Bool {
        var values = JSONValueSequence(bytes, in: range, context: context)
        guard values.startsWithJSON else { return false }
        let before = file
        while let input = values.next() {
            if let next = nextReport(inDamaged: input, until: range.upperBound) {
                file = before
                postpone(next..<range.upperBound)
                return readValues(range.lowerBound..<next)
            }
            if read(input) { continue }
            if let reason = IPSHeader(input.context.header)?.bugType?.unreadReason {
                let rest = input.range.upperBound..<range.upperBound
                addUnread(reason, from: input.range.lowerBound, to: rest)
                return true
            }
            if values.isFirst, input.context.header == nil {
                return readDocument(range, from: input)
            }
            readPayload(input.range)
        }
        if values.isEmpty { return false }
        if values.reachedLimit { file.remarks.append(.sizeLimit) }
        readTail(of: values)
        return true
    }

    /// Reads a text that begins with a JSON value of no report format: an envelope, a log, the
    /// header of a report, or MetricKit's payloads.
    ///
    /// - Returns: `false` if the text is not JSON.
    private mutating func readDocument(_ range: Range<Int>, from first: JSONReportInput) -> Bool {
        if isText(range, from: first) { return false }
        if let items = SentryEnvelope(bytes, in: range, from: first.root) {
            items.read(context, into: &file)
            return true
        }
        if !DocumentDetection.isPayload(first.root),
            SwiftLogParser(bytes, in: range, limits: context.limits).read(into: &file)
        {
            return true
        }
        if IPSHeader.isBeginning(first) {
            IPSReport.read(header: IPSHeader(first.root), into: &file)
            return true
        }
        let isLog = LogLayout.key(of: first.root) != nil
        if !isNested, isLog, readRecords(range) { return true }
        readPayload(payloads(in: range, from: first))
        // In a log, records that are not reports are not problems.
        if file.reports.isEmpty, isLog { file = CrashFile() }
        return true
    }

    /// Whether a text only begins like JSON.
    private func isText(_ range: Range<Int>, from first: JSONReportInput) -> Bool {
        // A number is the time in a log, such as `[ 123.456789] ready`.
        if first.root.kind == .number { return true }
        return first.damage != nil
            && TextFormatDetector(in: TextLines(bytes, in: range)).format != nil
    }

    /// Reads the last `.ips` header with the text after the values. Without a header, the text is
    /// postponed.
    private mutating func readTail(of values: JSONValueSequence) {
        switch (values.header, values.tail) {
        case (let header?, let text?): readBody(text, header: header)
        case (let header?, nil): IPSReport.read(header: IPSHeader(header), into: &file)
        case (nil, let text?): postpone(text)
        case (nil, nil): break
        }
    }

    /// Returns the start of the first report in the text that was taken for the rest of a damaged
    /// one, or `nil` if there is none.
    private mutating func nextReport(inDamaged input: JSONReportInput, until end: Int) -> Int? {
        guard input.damage == .jsonTruncated || input.damage == .jsonInvalid,
            DocumentDetection.isReport(input.root) || IPSReport.isBeginning(input)
                || input.context.header != nil,
            let lineEnd = bytes[input.range].firstIndex(of: .newline)
        else { return nil }
        return boundary?.next(in: lineEnd + 1..<end, after: .unsupported)
    }

    /// Reads the text after an `.ips` header. A report after text of an unsupported kind is another
    /// one.
    private mutating func readBody(_ text: Range<Int>, header: JSONValue) {
        if let reason = IPSHeader(header)?.bugType?.unreadReason,
            let next = boundary?.next(in: text, after: .unsupported),
            bytes[text.lowerBound..<next].contains(where: { $0 > 0x20 })
        {
            return addUnread(reason, from: text.lowerBound, to: text)
        }
        readText(text, header: header, mayContainReport: false)
    }

    /// Lists a report of an unsupported kind, and postpones the first report in the text after it.
    private mutating func addUnread(_ reason: UnreadReason, from start: Int, to rest: Range<Int>) {
        let next = boundary?.next(in: rest, after: .unsupported)
        file.addUnread(reason, at: start..<(next ?? rest.upperBound))
        if let next { postpone(next..<rest.upperBound) }
    }

    /// Returns the range of MetricKit's payloads at the start of a text. A report after them is
    /// postponed, and the text before it is left out unless it may be a damaged payload.
    private mutating func payloads(
        in range: Range<Int>, from first: JSONReportInput
    ) -> Range<Int> {
        let rest = first.range.upperBound..<range.upperBound
        guard first.damage == nil, let next = boundary?.next(in: rest, after: .payload)
        else { return range }
        postpone(next..<range.upperBound)
        let last = max(boundary?.objectEnd ?? 0, first.range.upperBound)
        let end = bytes[last..<next].prefix { $0 <= 0x20 || $0 == UInt8(ascii: "]") }.endIndex
        let isDamaged = bytes[end..<next].contains(UInt8(ascii: "{"))
        return range.lowerBound..<(isDamaged ? next : end)
    }

    /// Reads a value in the format that it matches.
    ///
    /// - Returns: Whether there is one.
    private mutating func read(_ input: JSONReportInput) -> Bool {
        if let format = JSONReportInput.formats.first(where: { $0.fits(input.root) }) {
            format.read(input, into: &file)
            if input.damage == .depthLimit, let failure = input.document.failure {
                file.unread.append(
                    UnreadPart(
                        range: min(failure.offset, input.range.upperBound)..<input.range.upperBound,
                        remark: .depthLimit,
                        problem: failure.problem))
            }
            return true
        }
        if IPSReport.isBeginning(input) {
            IPSReport.read(input, into: &file)
            return true
        }
        guard !isNested, let value = input.root["data"]?["attributes"]?["logText"],
            let text = value.stringBytes
        else { return false }
        let found = nested(Array(text))
        let outer = bytes
        add(found, range: { _ in input.range }) {
            JSONStringRewriter(file: outer, value: value, report: $0)
        }
        return true
    }

    /// Reads a text in the format that its lines identify. An `.ips` report after other text is
    /// read as such, unless it is itself inside an `.ips` report.
    private mutating func readText(
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
        } else if let reason = IPSHeader(header)?.bugType?.unreadReason {
            file.addUnread(reason, at: range)
        }
    }

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

    /// Reads the report that was read last again, from the JSON that follows its text.
    private mutating func readRepetition(_ range: Range<Int>) {
        guard let last = file.reports.indices.last else { return }
        var parser = Self(bytes, context: context, isNested: true)
        _ = parser.readValues(range)
        file.reports[last].repetitions = parser.file.reports
        if let text = parser.unreadText { postpone(text) }
    }

    /// Reads a report whose lines are quoted.
    ///
    /// - Parameter range: The range of the lines.
    /// - Returns: Whether there is one.
    private mutating func readQuoted(_ lines: TextLines, _ range: Range<Int>) -> Bool {
        guard !isNested, let text = QuotedReport(lines) else { return false }
        let found = nested(text.bytes)
        add(found, range: text.outer) { QuotedReportRewriter(text: text, report: $0) }
        guard !found.reports.isEmpty || !found.unread.isEmpty else { return false }
        file.embeddedTexts.append(EmbeddedText(range: range, source: text, content: found))
        return true
    }

    private mutating func readPayload(_ range: Range<Int>) {
        let reports = isNested ? nil : RecordReports.diagnostics
        MetricKitFile(limits: context.limits, reports: reports)
            .read(bytes, in: range, into: &file)
    }

    /// Reads text from strings of the file.
    private func nested(_ text: [UInt8]) -> CrashFile {
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
    private mutating func add(
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
    private mutating func readRecords(_ range: Range<Int>) -> Bool {
        guard LogLayout.mayContainReport(bytes[range]) else { return false }
        let foundCount = file.reports.count
        for key in LogLayout.keys(in: bytes[range]) { readRecords(range, key: key) }
        file.reports[foundCount...].sort { $0.range.lowerBound < $1.range.lowerBound }
        joinRepetitions(from: foundCount)
        return file.reports.count > foundCount
    }

    private mutating func readRecords(_ range: Range<Int>, key: String) {
        let text = JoinedRecords(bytes, in: range, key: key)
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

    /// Makes the stack that a record has under two keys one report, which is written in both.
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
