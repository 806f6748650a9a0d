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

    init(
        _ bytes: [UInt8], limits: PayloadLimits, identities: [String: ImageID],
        isNested: Bool = false
    ) {
        self.bytes = bytes
        self.isNested = isNested
        context = ReadingContext(identities: identities, limits: limits)
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
            if values.isFirst, part.context.header == nil {
                if part.damage != nil || part.root.kind == .number,
                    TextAnchors(in: TextLines(bytes, in: range)).format != nil
                {
                    return false
                }
                if SwiftLogReading(bytes, range, context.limits).read(into: &file) { return true }
                readPayload(range)
                // A log of JSON records is no worse for each of them that is no report.
                if file.reports.isEmpty, LogForm.isRecord(part.root) { file = CrashFile() }
                return true
            }
            readPayload(part.range)
        }
        if values.reachedLimit { file.remarks.append(.sizeLimit) }
        if let text = values.textAfterHeader {
            readText(text, header: values.header, mayHoldReport: false)
        }
        return true
    }

    /// Reads a value by the format that it fits.
    ///
    /// - Returns: Whether there is one.
    private mutating func read(_ part: JSONPart) -> Bool {
        if let format = CrashFileReader.jsonFormats.first(where: { $0.fits(part.root) }) {
            format.read(part, into: &file)
            return true
        }
        guard !isNested, let text = part.root["data"]?["attributes"]?["logText"]?.stringBytes
        else { return false }
        readNested(Array(text), standingAt: part.range)
        return true
    }

    /// Reads a text by the format that its lines tell. An `.ips` report behind prose is read as what
    /// it is, but not one that such a report holds again.
    private mutating func readText(
        _ range: Range<Int>, header: JSONValue?, mayHoldReport: Bool
    ) {
        let lines = TextLines(bytes, in: range)
        let anchors = TextAnchors(in: lines)
        if let format = anchors.format {
            var context = context
            context.header = header
            format.read(TextPart(lines: lines, context: context), into: &file)
        } else if mayHoldReport, let line = anchors.embeddedReport {
            _ = readValues(lines.ranges[line].lowerBound..<range.upperBound)
        } else if let refusal = IPSHeader(header)?.bugType?.refusal {
            file.refuse(refusal, at: range)
        }
    }

    private mutating func readPayload(_ range: Range<Int>) {
        MetricKitFile(limits: context.limits).read(bytes, in: range, into: &file)
    }

    /// Reads a file that stands in a string: a beta tester's crash log from App Store Connect. It
    /// stands there with escapes, so it is not rewritten.
    private mutating func readNested(_ text: [UInt8], standingAt range: Range<Int>) {
        var reading = Self(
            text, limits: context.limits, identities: context.identities, isNested: true)
        reading.read(0..<text.count)
        for report in reading.file.reports {
            file.reports.append(
                CrashReport(
                    report.format, range: range, label: report.label, content: report.content,
                    rewriting: nil))
        }
        for var part in reading.file.unread {
            part.range = range
            file.unread.append(part)
        }
        file.remarks += reading.file.remarks
    }
}
