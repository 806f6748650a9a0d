import CallStacks
package import JSONText
import MetricKitPayloads

/// Backtraces that crashing Swift programs print as JSON.
package enum SwiftJSONReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        root["kind"]?.string == "crashReport"
            && (root["threads"]?.kind == .array || (root["threads"] == nil && !root.isWhole))
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        let model = SwiftJSONModel(
            input.root, damage: input.damage, SwiftPreamble(), limits: input.context.limits)
        file.reports.append(model.report(range: input.range, text: .file))
    }
}

/// Finds and reads a report in JSON inside a log.
struct SwiftJSONParser {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let limits: PayloadLimits
    /// The number of bytes read as JSON that were not a report.
    private(set) var wastedByteCount = 0

    init(_ bytes: [UInt8], _ range: Range<Int>, _ limits: PayloadLimits) {
        self.bytes = bytes
        self.range = range
        self.limits = limits
    }

    mutating func report(_ start: SwiftTraceStart) -> CrashReport? {
        var lines = ProcessLogLines(
            bytes, in: start.line.lowerBound..<range.upperBound, layout: start.layout)
        guard var line = lines.next() else { return nil }
        while !line.range.contains(start.position) {
            guard line.range.lowerBound <= start.position, let next = lines.next() else {
                return nil
            }
            line = next
        }
        if line.encoding == .plain, line.fragments.count == 1 {
            return report(bytes, from: start.position, start: start, line: nil)
        }
        let content = line.content(in: bytes)
        return report(
            content, from: content.firstIndex(of: UInt8(ascii: "{")) ?? 0, start: start, line: line)
    }

    /// - Parameter line: The log line that contains the text, or `nil` if the report is not inside
    ///   a log record.
    private mutating func report(
        _ text: [UInt8], from position: Int, start: SwiftTraceStart, line: LoggedLine?
    ) -> CrashReport? {
        var reader = JSONReader(text, in: position..<(line == nil ? range.upperBound : text.count))
        let document = JSONDocument(readingFrom: &reader)
        guard let root = document.root, root["threads"] != nil, SwiftJSONReport.fits(root) else {
            wastedByteCount += reader.offset - position
            return nil
        }
        let input = JSONReportInput(
            document: document, root: root, range: root.range,
            context: ReadingContext(limits: limits))
        let model = SwiftJSONModel(
            root, damage: input.damage, preamble(before: start), limits: limits)
        guard let line else { return model.report(range: root.range, text: .file) }
        return model.report(range: line.range, text: .line(line, file: bytes))
    }

    /// Returns the messages of the same process before the report.
    private func preamble(before start: SwiftTraceStart) -> SwiftPreamble {
        let begin = bytes[...].lineStart(
            SwiftPreamble.linesLimit, linesBefore: start.line.lowerBound,
            notBefore: range.lowerBound)
        var lines = ProcessLogLines(bytes, in: begin..<start.line.lowerBound, layout: start.layout)
        var before: [[UInt8]] = []
        while let line = lines.next() {
            before.append(TerminalText.shown(line.content(in: bytes)))
        }
        var preamble = SwiftPreamble()
        _ = preamble.read(linesBefore: before)
        let announcement = Array(bytes[start.line.lowerBound..<start.position])
        preamble.signal = preamble.signal ?? SwiftPreamble.signal(announcement)
        return preamble
    }
}
