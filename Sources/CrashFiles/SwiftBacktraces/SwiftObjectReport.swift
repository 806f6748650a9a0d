import CallStacks
import JSONText
import MetricKitPayloads

/// Backtraces that dying Swift programs print as JSON.
enum SwiftObjectReport: JSONReportReading {
    static func fits(_ root: JSONValue) -> Bool {
        root["kind"]?.string == "crashReport"
            && (root["threads"]?.kind == .array || (root["threads"] == nil && !root.isWhole))
    }

    static func read(_ part: JSONPart, into file: inout CrashFile) {
        let model = SwiftObjectModel(
            part.root, damage: part.damage, SwiftPreamble(), limits: part.context.limits)
        file.reports.append(model.report(range: part.range, text: .file))
    }
}

/// Finds and reads a report in JSON that stands in a log.
struct SwiftObjectReading {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let limits: PayloadLimits
    /// How many bytes of JSON were read that turned out to be no report.
    private(set) var vainCount = 0

    init(_ bytes: [UInt8], _ range: Range<Int>, _ limits: PayloadLimits) {
        self.bytes = bytes
        self.range = range
        self.limits = limits
    }

    mutating func report(_ start: SwiftTraceStart) -> CrashReport? {
        var lines = LogLines(
            bytes, in: start.line.lowerBound..<range.upperBound, form: start.form)
        guard var line = lines.next() else { return nil }
        while !line.range.contains(start.place) {
            guard line.range.lowerBound <= start.place, let next = lines.next() else { return nil }
            line = next
        }
        if line.encoding == .plain, line.pieces.count == 1 {
            return report(bytes, from: start.place, start, nil)
        }
        let content = line.content(in: bytes)
        return report(content, from: content.firstIndex(of: UInt8(ascii: "{")) ?? 0, start, line)
    }

    /// - Parameter line: Whose text was taken out of the log; `nil` where the report stands in the
    ///   file as it is.
    private mutating func report(
        _ text: [UInt8], from place: Int, _ start: SwiftTraceStart, _ line: LoggedLine?
    ) -> CrashReport? {
        var reader = JSONReader(text, in: place..<(line == nil ? range.upperBound : text.count))
        let document = JSONDocument(readingFrom: &reader)
        guard let root = document.root, root["threads"] != nil, SwiftObjectReport.fits(root) else {
            vainCount += reader.offset - place
            return nil
        }
        let part = JSONPart(
            document: document, root: root, range: root.range,
            context: ReadingContext(limits: limits))
        let model = SwiftObjectModel(
            root, damage: part.damage, preamble(before: start), limits: limits)
        guard let line else { return model.report(range: root.range, text: .file) }
        return model.report(range: line.range, text: .line(line, file: bytes))
    }

    /// What the lines before the report say; they are of the same process.
    private func preamble(before start: SwiftTraceStart) -> SwiftPreamble {
        let begin = bytes[...].lineStart(
            SwiftPreamble.linesLimit, linesBefore: start.line.lowerBound,
            notBefore: range.lowerBound)
        var lines = LogLines(bytes, in: begin..<start.line.lowerBound, form: start.form)
        var before: [[UInt8]] = []
        while let line = lines.next() {
            before.append(TerminalText.shown(line.content(in: bytes)))
        }
        var preamble = SwiftPreamble()
        _ = preamble.read(linesBefore: before)
        let announcement = Array(bytes[start.line.lowerBound..<start.place])
        preamble.signal = preamble.signal ?? SwiftPreamble.signal(announcement)
        return preamble
    }
}
