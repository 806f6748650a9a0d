import CallStacks
import JSONText

/// Apple's text reports (`.crash`), and similar ones by PLCrashReporter and KSCrash; several per
/// file.
package enum CrashText: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        if let head = CrashTextHeading(line) { return head != .information }
        if CrashlyticsText.isIdentified(by: line) { return true }
        return ["Incident Identifier:", "Process:", "Report Version:"].contains {
            line.starts(with: $0.utf8)
        }
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        for range in reports(in: input.lines) {
            read(range, input, as: .crashText, into: &file)
        }
    }

    /// Adds the report in some lines, if it has a stack or a reason.
    static func read(
        _ range: Range<Int>, _ input: TextReportInput, as format: CrashFormat,
        into file: inout CrashFile
    ) {
        guard let first = range.first, let last = range.last else { return }
        var context = input.context
        if let header = header(in: input.lines, range: range) { context.header = header }
        let samples = CrashTextCallTrees(in: input.lines, range)
        let sections = CrashTextSections(
            input.lines, range, limits: context.limits, isSkipped: samples.contains)
        let bytes =
            input.lines.ranges[first].lowerBound..<input.lines.ranges[last].upperBound
        if sections.stacks.isEmpty, samples.sections.isEmpty,
            let reason = sections.unreadReason(header: context.header)
        {
            return file.addUnread(reason, at: bytes)
        }
        guard
            !sections.stacks.isEmpty || sections.hasHead || context.header != nil
                || !samples.sections.isEmpty
        else { return }
        let report = CrashTextReport(sections, input.lines, context: context)
        let diagnostic = report.diagnostic
        let sampled = samples.reports(
            in: TextReportInput(lines: input.lines, context: context), images: diagnostic.images,
            details: diagnostic.details)
        // A report without threads consists of its trees.
        if sampled.isEmpty || !sections.stacks.isEmpty {
            file.reports.append(
                CrashReport(
                    format, range: bytes, label: IPSHeader(context.header)?.bugType?.label,
                    content: .resolved(diagnostic), rewriter: report.rewriter))
            if ReportEnd(of: input.lines, range).isInCrash { file.markEnd() }
        }
        file.reports += sampled
    }

    /// Splits lines before each header that follows stacks.
    private static func reports(in lines: TextLines) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var hasStacks = false
        for line in lines.indices {
            let content = lines.content(line)
            if hasStacks, startsReport(content), ranges.count < 1_000 {
                ranges.append(start..<line)
                start = line
                hasStacks = false
            } else if !hasStacks, isStackHeading(content) {
                hasStacks = true
            }
        }
        return ranges + [start..<lines.indices.upperBound]
    }

    private static func isStackHeading(_ line: ArraySlice<UInt8>) -> Bool {
        if case .thread? = CrashTextHeading(line) { return true }
        return CrashlyticsText.isHeading(line)
    }

    /// Possible starts of a header's first line; writers omit lines without a value.
    private static let firstLabels = [
        "Incident Identifier:", "CrashReporter Key:", "Hardware Model:", "Process:", "Identifier:",
    ]

    /// Whether a line starts another report.
    package static func startsReport(_ line: ArraySlice<UInt8>) -> Bool {
        firstLabels.contains { line.starts(with: $0.utf8) }
            || CrashlyticsText.isIdentified(by: line)
            || (line.first == UInt8(ascii: "{")
                && line.contains(subsequence: Array("\"bug_type\"".utf8)))
    }

    /// Returns the JSON header on the first line of a report that follows another.
    private static func header(in lines: TextLines, range: Range<Int>) -> JSONValue? {
        guard let first = range.first, lines.content(first).first == UInt8(ascii: "{"),
            let root = JSONDocument(Array(lines.content(first))).root, IPSHeader.fits(root)
        else { return nil }
        return root
    }
}

/// Frame lines without a report around them: `NSException.callStackSymbols`, or an excerpt.
package enum StandaloneFrames: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        guard let frame = FrameLine(line) else { return false }
        return frame.rest.raw != nil || frame.rest.identity != nil
            || frame.rest.function?.distance != nil || frame.rest.isNameless
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        CrashText.read(input.lines.indices, input, as: .standaloneFrames, into: &file)
    }
}

/// Lines of an identity and an offset to look up as given.
package enum OffsetList: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool { entry(line) != nil }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        var stacks = StackCollector(limits: input.context.limits)
        for line in input.lines.indices {
            guard let (id, offset) = entry(input.lines.content(line)) else { continue }
            let frame = CallFrame(
                image: id, imageName: nil, site: .programCounter(ImageOffset(offset)))
            if stacks.append(frame, given: nil) == nil { break }
        }
        stacks.endStack(name: nil, isAttributed: true)
        file.reports.append(
            CrashReport(
                .offsetList, range: input.range,
                content: .resolved(Diagnostic(kind: .unknown, tree: stacks.tree)), rewriter: nil))
    }

    /// Reads a UUID or build ID of at least 32 digits, and an offset in either notation.
    private static func entry(_ line: ArraySlice<UInt8>) -> (ImageID, UInt64)? {
        let words = Words(line)
        guard words.count == 2, words[0].count >= 32,
            let id = ImageID(String(decoding: line[words[0]], as: UTF8.self)),
            let offset = UInt64(number: line[words[1]])
        else { return nil }
        return (id, offset)
    }
}
