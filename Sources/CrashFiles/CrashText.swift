import CallStacks
import JSONText

/// Apple's text reports (`.crash`), and those of PLCrashReporter and KSCrash, which look like them.
/// A file may hold several, one after another.
enum CrashText: TextReportReading {
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool {
        if let head = CrashTextHead(line) { return head != .information }
        return ["Incident Identifier:", "Process:", "Report Version:"].contains {
            line.starts(with: $0.utf8)
        }
    }

    static func read(_ part: TextPart, into file: inout CrashFile) {
        for range in reports(in: part.lines) {
            read(range, part, as: .crashText, into: &file)
        }
    }

    /// Adds the report of some lines, if it has a stack or says what happened.
    static func read(
        _ range: Range<Int>, _ part: TextPart, as format: CrashFormat, into file: inout CrashFile
    ) {
        guard let first = range.first, let last = range.last else { return }
        var context = part.context
        if let header = header(in: part.lines, range) { context.header = header }
        let samples = CrashTextSamples(in: part.lines, range)
        let sections = CrashTextSections(
            part.lines, range, limits: context.limits, isSkipped: samples.contains)
        let bytes =
            part.lines.ranges[first].lowerBound..<part.lines.ranges[last].upperBound
        if sections.stacks.isEmpty, samples.sections.isEmpty,
            let refusal = sections.refusal(context.header)
        {
            return file.refuse(refusal, at: bytes)
        }
        guard
            !sections.stacks.isEmpty || sections.hasHead || context.header != nil
                || !samples.sections.isEmpty
        else { return }
        let report = CrashTextReport(sections, part.lines, context: context)
        let diagnostic = report.diagnostic
        let sampled = samples.reports(
            in: TextPart(lines: part.lines, context: context), images: diagnostic.images,
            details: diagnostic.details)
        // Of a report without threads the trees are all there is.
        if sampled.isEmpty || !sections.stacks.isEmpty {
            file.reports.append(
                CrashReport(
                    format, range: bytes, label: IPSHeader(context.header)?.bugType?.label,
                    content: .resolved(diagnostic), rewriting: report.rewriting))
        }
        file.reports += sampled
    }

    /// Cuts the lines before each header that follows stacks.
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
            } else if !hasStacks, case .thread? = CrashTextHead(content) {
                hasStacks = true
            }
        }
        return ranges + [start..<lines.indices.upperBound]
    }

    /// What the first line of a header may begin with; what a report does not say is left out.
    private static let firstLabels = [
        "Incident Identifier:", "CrashReporter Key:", "Hardware Model:", "Process:", "Identifier:",
    ]

    /// Whether a line begins a report behind others.
    static func startsReport(_ line: ArraySlice<UInt8>) -> Bool {
        firstLabels.contains { line.starts(with: $0.utf8) }
            || (line.first == UInt8(ascii: "{")
                && line.contains(subsequence: Array("\"bug_type\"".utf8)))
    }

    /// The header of JSON on the first line of a report that follows another one.
    private static func header(in lines: TextLines, _ range: Range<Int>) -> JSONValue? {
        guard let first = range.first, lines.content(first).first == UInt8(ascii: "{"),
            let root = JSONDocument(Array(lines.content(first))).root, IPSHeader.fits(root)
        else { return nil }
        return root
    }
}

/// Lines of frames without a report around them: `NSException.callStackSymbols`, or what somebody
/// cut out of a report.
enum BareFrames: TextReportReading {
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool {
        guard let frame = FrameLine(line) else { return false }
        return frame.rest.raw != nil || frame.rest.identity != nil
            || frame.rest.function?.distance != nil || frame.rest.isNameless
    }

    static func read(_ part: TextPart, into file: inout CrashFile) {
        CrashText.read(part.lines.indices, part, as: .bareFrames, into: &file)
    }
}

/// Lines of an identity and an offset, which is looked up as it is.
enum OffsetList: TextReportReading {
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool { entry(line) != nil }

    static func read(_ part: TextPart, into file: inout CrashFile) {
        var stacks = StackCollector(limits: part.context.limits)
        for line in part.lines.indices {
            guard let (id, offset) = entry(part.lines.content(line)) else { continue }
            let frame = CallFrame(
                image: id, imageName: nil, site: .programCounter(ImageOffset(offset)))
            if stacks.append(frame, given: nil) == nil { break }
        }
        stacks.endStack(name: nil, isAttributed: true)
        file.reports.append(
            CrashReport(
                .offsetList, range: part.range,
                content: .resolved(Diagnostic(kind: .unknown, tree: stacks.tree)), rewriting: nil))
    }

    /// A UUID or build id of at least 16 digits, and an offset in either notation.
    private static func entry(_ line: ArraySlice<UInt8>) -> (ImageID, UInt64)? {
        let words = Words(line)
        guard words.count == 2, words[0].count >= 32,
            let id = ImageID(String(decoding: line[words[0]], as: UTF8.self)),
            let offset = UInt64(number: line[words[1]])
        else { return nil }
        return (id, offset)
    }
}
