import CallStacks
import MetricKitPayloads

/// What the `sample` tool prints: one process, its call graph, and then its images.
enum SampleReport: TextReportReading {
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool {
        let bytes = NodeBytes(line)
        guard bytes.holds("Analysis of sampling ", at: 0),
            let every = bytes.last(" every ", in: 0..<bytes.count)
        else { return false }
        return every + 7 < bytes.count && bytes[every + 7].isDigit
    }

    static func read(_ part: TextPart, into file: inout CrashFile) {
        var reading = SampleReading(part)
        reading.read()
        file.reports += reading.reports
    }
}

/// The lines of what `sample` printed, one after the other.
struct SampleReading {
    private enum Section { case keys, graph, images }

    private let part: TextPart
    private let lines: TextLines
    private(set) var reports: [CrashReport] = []
    private var process: SampledProcess?
    private var section = Section.keys

    init(_ part: TextPart) {
        self.part = part
        lines = part.lines
    }

    mutating func read() {
        for line in lines.indices { read(line, lines.content(line)) }
        finish(at: lines.indices.upperBound)
    }

    private mutating func read(_ line: Int, _ content: ArraySlice<UInt8>) {
        if SampleReport.isAnchor(content) {
            finish(at: line)
            process = SampledProcess(name: "", start: line, limits: part.context.limits)
            section = .keys
        } else if section == .graph, let node = SampleNotation.line(content) {
            add(node, at: line)
        } else if let key = ReportKey(content), key.isAtMargin {
            read(key)
        } else if section == .images {
            process?.addImage(content)
        } else if section == .graph, lines.ranges[line].isEmpty {
            section = .keys
        } else if section == .graph {
            process?.trees.addUnnamed(
                depth: content.prefix(while: SampleNotation.isPrefix).count / 2, at: line)
        }
    }

    private mutating func read(_ key: ReportKey) {
        switch key.name {
        case "Call graph": section = .graph
        case "Binary Images": section = .images
        default:
            if section == .keys { process?.keys.add(key) } else { section = .keys }
        }
    }

    private mutating func add(_ node: NodeLine, at line: Int) {
        if node.frame == nil, node.bytes.holds("Thread_", at: node.text) {
            process?.beginStack(name: Self.threadName(node), isAttributed: false)
        } else {
            process?.trees.add(node, at: line)
        }
    }

    /// `Thread_17988   DispatchQueue_1: com.apple.main-thread  (serial)`,
    /// `Thread_17990: Worker   DispatchQueue_7: orchard  (serial)`
    private static func threadName(_ node: NodeLine) -> String? {
        let bytes = node.bytes
        let end = bytes.trimmedEnd(node.text..<bytes.count)
        guard let colon = bytes.first(": ", in: node.text..<end) else { return nil }
        let start = bytes.skipBlanks(from: colon + 2)
        guard start < end else { return nil }
        let label = bytes.first("  ", in: start..<end) ?? end
        return bytes.text(start..<label)
    }

    private mutating func finish(at end: Int) {
        guard var process, !process.trees.isEmpty else { return }
        self.process = nil
        process.name = process.keys["Process"] ?? ""
        let (diagnostic, rows) = process.finished(in: process.keys)
        reports.append(
            CrashReport(
                .sample, range: lines.range(of: process.start..<end), label: process.label,
                content: .resolved(diagnostic),
                rewriting: SampledTreeRewriting<SampleNotation>(
                    lines: lines, rows: rows.tree, flatRows: rows.flat)))
    }
}
