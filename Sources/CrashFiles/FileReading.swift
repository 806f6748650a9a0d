import CallStacks
import JSONText
import MetricKitPayloads

/// Tells the parts of one file by their content, and has each read by its format.
struct FileReading {
    private let bytes: [UInt8]
    private let context: ReadingContext
    /// Whether the file stood in a string of another one.
    private let isNested: Bool
    private(set) var file = CrashFile()

    init(_ bytes: [UInt8], context: ReadingContext, isNested: Bool = false) {
        self.bytes = bytes
        self.isNested = isNested
        self.context = context
    }

    mutating func read(_ range: Range<Int>) {
        if !readValues(range) { readText(range, header: nil, mayHoldReport: true) }
    }

    /// Reads JSON values, and the text after an `.ips` header.
    ///
    /// - Returns: `false` where the text is none of JSON.
    private mutating func readValues(_ range: Range<Int>) -> Bool {
        var values = JSONValues(bytes, in: range, context: context)
        guard values.startsWithJSON else { return false }
        while let part = values.next() {
            if read(part) { continue }
            if let refusal = IPSHeader(part.context.header)?.bugType?.refusal {
                file.refuse(refusal, at: part.range.lowerBound..<range.upperBound)
                return true
            }
            if values.isFirst, part.context.header == nil {
                if part.damage != nil || part.root.kind == .number,
                    TextAnchors(in: TextLines(bytes, in: range)).format != nil
                {
                    return false
                }
                if SwiftLogReading(bytes, range, context.limits).read(into: &file) { return true }
                if IPSHeader.isBeginning(part) {
                    IPSReport.read(header: IPSHeader(part.root), into: &file)
                    return true
                }
                if !isNested, let key = LogForm.key(of: part.root), readRecords(range, key) {
                    return true
                }
                readPayload(range)
                // A log of JSON records is no worse for each of them that is no report.
                if file.reports.isEmpty, LogForm.key(of: part.root) != nil { file = CrashFile() }
                return true
            }
            readPayload(part.range)
        }
        if values.reachedLimit { file.remarks.append(.sizeLimit) }
        if let header = values.header {
            if let text = values.tail {
                readText(text, header: header, mayHoldReport: false)
            } else {
                IPSReport.read(header: IPSHeader(header), into: &file)
            }
        } else if let text = values.tail {
            readReports(behindValues: text)
        }
        return true
    }

    /// Reads reports in text that follow others in JSON. What else follows one belongs to it, as what
    /// a Mac says of its hardware.
    private mutating func readReports(behindValues range: Range<Int>) {
        let lines = TextLines(bytes, in: range)
        guard let line = lines.indices.first(where: { CrashText.startsReport(lines.content($0)) })
        else { return }
        readText(
            lines.ranges[line].lowerBound..<range.upperBound, header: nil, mayHoldReport: false)
    }

    /// Reads a value by the format that it fits.
    ///
    /// - Returns: Whether there is one.
    private mutating func read(_ part: JSONPart) -> Bool {
        if let format = CrashFileReader.jsonFormats.first(where: { $0.fits(part.root) }) {
            format.read(part, into: &file)
            if part.damage == .depthLimit, let failure = part.document.failure {
                file.unread.append(
                    UnreadPart(
                        range: min(failure.offset, part.range.upperBound)..<part.range.upperBound,
                        remark: .depthLimit,
                        explanation: failure.description))
            }
            return true
        }
        if IPSReport.isBeginning(part) {
            IPSReport.read(part, into: &file)
            return true
        }
        guard !isNested, let value = part.root["data"]?["attributes"]?["logText"],
            let text = value.stringBytes
        else { return false }
        let found = nested(Array(text))
        let outer = bytes
        add(found, range: { _ in part.range }) {
            NestedRewriting(file: outer, value: value, report: $0)
        }
        return true
    }

    /// Reads a text by the format that its lines tell. An `.ips` report behind prose is read as what
    /// it is, but not one that such a report holds again.
    private mutating func readText(
        _ range: Range<Int>, header: JSONValue?, mayHoldReport: Bool
    ) {
        let lines = TextLines(bytes, in: range)
        let anchors = TextAnchors(in: lines)
        let isTold = anchors.format.map { !HeldFormat.isRow($0) } ?? (anchors.embeddedReport != nil)
        if !isTold, mayHoldReport, readQuoted(lines) { return }
        let foundCount = file.reports.count + file.unread.count
        if let format = anchors.format {
            var context = context
            context.header = header
            let isReport = format == CrashText.self
            let body = isReport ? anchors.embeddedReport.flatMap(lines.rangeOfJSON) : nil
            let text = body.map { TextLines(bytes, in: range.lowerBound..<$0.lowerBound) } ?? lines
            format.read(TextPart(lines: text, context: context), into: &file)
            if let body, !text.announcesFullReport { _ = readValues(body) }
        }
        if file.reports.count + file.unread.count > foundCount { return }
        if mayHoldReport, let line = anchors.embeddedReport {
            _ = readValues(lines.ranges[line].lowerBound..<range.upperBound)
        } else if let refusal = IPSHeader(header)?.bugType?.refusal {
            file.refuse(refusal, at: range)
        }
    }

    /// Reads a report whose lines stand behind a mark.
    ///
    /// - Returns: Whether there is one.
    private mutating func readQuoted(_ lines: TextLines) -> Bool {
        guard !isNested, let text = QuotedText(lines) else { return false }
        let found = nested(text.bytes)
        add(found, range: text.outer) { QuotedRewriting(text: text, report: $0) }
        return !found.reports.isEmpty || !found.unread.isEmpty
    }

    private mutating func readPayload(_ range: Range<Int>) {
        MetricKitFile(limits: context.limits).read(bytes, in: range, into: &file)
    }

    /// Reads what stands in strings of the file.
    private func nested(_ text: [UInt8]) -> CrashFile {
        var reading = Self(text, context: context, isNested: true)
        reading.read(0..<text.count)
        return reading.file
    }

    /// Adds what was found in a text that stands in strings of the file.
    ///
    /// - Parameters:
    ///   - range: Where in the file a range of the text stands.
    ///   - rewriting: Of the file, made of that of the text.
    private mutating func add(
        _ nested: CrashFile, range: (Range<Int>) -> Range<Int>,
        rewriting: (any ReportRewriting) -> any ReportRewriting
    ) {
        for report in nested.reports {
            file.reports.append(
                CrashReport(
                    report.format, range: range(report.range), label: report.label,
                    content: report.content, rewriting: report.rewriting.map(rewriting)))
        }
        for var part in nested.unread {
            part.range = range(part.range)
            file.unread.append(part)
        }
        file.remarks += nested.remarks
        if nested.holdsRefusedReport { file.holdsRefusedReport = true }
    }

    /// Reads the texts of a log's records, line by line or some lines a record, as one.
    ///
    /// - Returns: Whether a report with a stack stands in them; other lines only look like one.
    private mutating func readRecords(_ range: Range<Int>, _ key: String) -> Bool {
        guard LogForm.mayHoldReport(bytes[range]) else { return false }
        let text = RecordedText(bytes, in: range, key: key)
        var found = nested(text.bytes)
        found.reports.removeAll { $0.resolved().tree.frames.isEmpty }
        guard !found.reports.isEmpty else { return false }
        found.unread = []
        if text.isCut { found.remarks.append(.sizeLimit) }
        add(found, range: text.range(of:)) { RecordedRewriting(text: text, report: $0) }
        return true
    }
}
