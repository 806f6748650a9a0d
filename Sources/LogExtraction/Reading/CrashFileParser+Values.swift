import CallStacks
import JSONText
import MetricKitPayloads
import ReportFormats

extension CrashFileParser {
    /// Reads JSON values, and the text after an `.ips` header.
    ///
    /// - Returns: `false` if the text is not JSON.
    mutating func readValues(_ range: Range<Int>) -> Bool {
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
        if first.root.kind == .string, isOneLine(range), readList(range) { return true }
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
        if !isNested, isLog, readRecords(range) || readList(range) { return true }
        readPayload(withoutTail(payloads(in: range, from: first), from: first))
        // In a log, records that are not reports are not problems.
        if file.reports.isEmpty, isLog { file = CrashFile() }
        return true
    }

    /// Whether a list of strings is in one line. Otherwise each line is one of the strings.
    private func isOneLine(_ range: Range<Int>) -> Bool {
        let line = bytes[range].prefix { $0 != .newline }.trimmed
        return !isNested && line.first == UInt8(ascii: "[") && line.last == UInt8(ascii: "]")
    }

    /// Whether a text only begins like JSON.
    private func isText(_ range: Range<Int>, from first: JSONReportInput) -> Bool {
        // A number is the time in a log, such as `[ 123.456789] ready`.
        if first.root.kind == .number { return true }
        // Frames in quotes are a printed list of strings.
        return (first.damage != nil || first.root.kind == .string)
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

    /// Returns the start of the first report in the remaining text of a damaged one, or `nil` if
    /// there is none.
    private mutating func nextReport(inDamaged input: JSONReportInput, until end: Int) -> Int? {
        guard input.damage == .jsonTruncated || input.damage == .jsonInvalid,
            DocumentDetection.isReport(input.root) || IPSReport.isBeginning(input)
                || input.context.header != nil,
            let lineEnd = bytes[input.range].firstIndex(of: .newline)
        else { return nil }
        return boundary?.next(in: lineEnd + 1..<end, after: .unsupported)
    }

    /// Reads the text after an `.ips` header. A report that follows text of an unsupported kind is
    /// read separately.
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

    /// Excludes and postpones the text after payloads, which a person or a script may have added.
    /// What begins like JSON may be a damaged payload.
    private mutating func withoutTail(
        _ range: Range<Int>, from first: JSONReportInput
    ) -> Range<Int> {
        guard first.damage == nil, DocumentDetection.isPayload(first.root),
            let last = bytes[range].last(where: { $0 > 0x20 }), !"}]".utf8.contains(last)
        else { return range }
        var values = JSONValueSequence(bytes, in: range, context: context)
        while let value = values.next() { if value.damage != nil { return range } }
        guard values.header == nil, let tail = values.tail, bytes[tail].first != UInt8(ascii: "\"")
        else { return range }
        postpone(tail)
        return range.lowerBound..<tail.lowerBound
    }

    /// Returns the range of MetricKit's payloads at the start of a text. A report after them is
    /// postponed, and the text before it is excluded unless it may be a damaged payload.
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
        guard !isNested, let value = stringWithReport(in: input), let text = value.stringBytes
        else { return false }
        let found = nested(Array(text))
        // A string without a report is read as a payload, which tells what is wrong with it.
        if found.reports.isEmpty, value.range == input.root.range { return false }
        let outer = bytes
        add(found, range: { _ in input.range }) {
            JSONStringRewriter(file: outer, value: value, report: $0)
        }
        return true
    }

    /// Returns the string that has the report: that of App Store Connect, or a whole file that was
    /// encoded twice.
    private func stringWithReport(in input: JSONReportInput) -> JSONValue? {
        if let text = input.root["data"]?["attributes"]?["logText"] { return text }
        guard input.root.kind == .string,
            bytes[input.range.upperBound...].allSatisfy({ $0 <= 0x20 }),
            let first = input.root.stringBytes?.first(where: { $0 > 0x20 })
        else { return nil }
        return "{[".utf8.contains(first) ? input.root : nil
    }

    private mutating func readPayload(_ range: Range<Int>) {
        let reports = isNested ? nil : RecordReports.diagnostics
        MetricKitFile(limits: context.limits, reports: reports)
            .read(bytes, in: range, into: &file)
    }
}
