import CallStacks
import MetricKitPayloads

/// Call graphs printed by `sample` and `malloc_history -callTree`: a process, its call graph, and
/// then its images.
package enum SampleReport: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        isHeading(line) || line.elementsEqual(graph)
    }

    private static let graph = Array("Call graph:".utf8)

    /// Whether a line is `Analysis of sampling Shop (pid 431) every 1 millisecond`.
    static func isHeading(_ line: ArraySlice<UInt8>) -> Bool {
        let bytes = NodeBytes(line)
        guard bytes.begins(with: "Analysis of sampling ", at: 0),
            let every = bytes.last(" every ", in: 0..<bytes.count)
        else { return false }
        return every + 7 < bytes.count && bytes[every + 7].isDigit
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        var parser = SampleParser(input)
        parser.read()
        guard !parser.reports.isEmpty else { return }
        file.reports += parser.reports
        let end = ReportEnd(of: input.lines, input.lines.indices)
        if end.isInTree(SampleNotation.self) { file.markEnd() }
    }
}

/// An excerpt of a call graph, without its head.
package enum SampleExcerpt: TextReportFormat {
    /// The number of spaces before a thread's heading.
    package static let headingIndentation = 4

    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        guard line.contains(subsequence: mark) else { return false }
        return SampleNotation.line(line)?.frame?.image != nil
    }

    /// Whether a line without its indentation is a thread's heading, such as `95 Thread_17988`.
    package static func isHeading(_ content: ArraySlice<UInt8>) -> Bool {
        guard content.first?.isDigit == true, content.contains(subsequence: thread),
            let node = SampleNotation.line(content)
        else { return false }
        return isHeading(node)
    }

    static func isHeading(_ node: NodeLine) -> Bool {
        node.frame == nil && node.bytes.begins(with: "Thread_", at: node.text)
    }

    private static let thread = Array(" Thread_".utf8)
    private static let mark = Array("  (in ".utf8)

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        SampleReport.read(input, into: &file)
    }
}

/// Reads the lines of the output one by one.
struct SampleParser {
    private enum Section { case keys, graph, images }

    private let input: TextReportInput
    private let lines: TextLines
    private(set) var reports: [CrashReport] = []
    private var process: SampledProcess
    private var section = Section.keys

    init(_ input: TextReportInput) {
        self.input = input
        lines = input.lines
        process = SampledProcess(name: "", start: 0, limits: input.context.limits)
    }

    mutating func read() {
        for line in lines.indices { read(line, content: lines.content(line)) }
        finish(at: lines.indices.upperBound)
    }

    private mutating func read(_ line: Int, content: ArraySlice<UInt8>) {
        if SampleReport.isHeading(content) {
            finish(at: line)
        } else if let node = SampleNotation.line(content), isNode(node) {
            section = .graph
            add(node, at: line)
        } else if let key = ReportKey(content), key.isAtMargin {
            read(key, at: line)
        } else if section == .images {
            process.addImage(content)
        } else if section == .graph, lines.ranges[line].isEmpty {
            section = .keys
        } else if section == .graph {
            process.trees.addUnnamed(
                depth: content.prefix(while: SampleNotation.isPrefix).count / 2, at: line)
        }
    }

    /// Whether a line belongs to the call graph. An excerpt may lack the graph's heading.
    private func isNode(_ node: NodeLine) -> Bool {
        if section == .graph { return true }
        return section == .keys && (node.frame?.image != nil || SampleExcerpt.isHeading(node))
    }

    private mutating func read(_ key: ReportKey, at line: Int) {
        switch key.name {
        case "Call graph": section = .graph
        case "Binary Images": section = .images
        case "Process" where !process.trees.isEmpty:
            finish(at: line)
            process.keys.add(key)
        default:
            if section == .keys { process.keys.add(key) } else { section = .keys }
        }
    }

    private mutating func add(_ node: NodeLine, at line: Int) {
        if SampleExcerpt.isHeading(node) {
            process.beginStack(name: Self.threadName(node), isAttributed: false)
        } else {
            process.trees.add(node, at: line)
        }
    }

    /// Reads the thread's name from
    /// `Thread_17988   DispatchQueue_1: com.apple.main-thread  (serial)` or
    /// `Thread_17990: Worker   DispatchQueue_7: orchard  (serial)`.
    private static func threadName(_ node: NodeLine) -> String? {
        let bytes = node.bytes
        let end = bytes.trimmedEnd(node.text..<bytes.count)
        guard let colon = bytes.first(": ", in: node.text..<end) else { return nil }
        let start = bytes.skipBlanks(from: colon + 2)
        guard start < end else { return nil }
        let label = bytes.first("  ", in: start..<end) ?? end
        return bytes.text(start..<label)
    }

    /// Ends the process, and begins another one at a line.
    private mutating func finish(at end: Int) {
        var process = process
        self.process = SampledProcess(name: "", start: end, limits: input.context.limits)
        section = .keys
        guard !process.trees.isEmpty else { return }
        process.name = process.keys["Process"] ?? ""
        let (diagnostic, rows) = process.finished(in: process.keys)
        reports.append(
            CrashReport(
                .sample, range: lines.range(of: process.start..<end), label: process.label,
                content: .resolved(diagnostic),
                rewriter: SampledTreeRewriter<SampleNotation>(
                    lines: lines, rows: rows.tree, flatRows: rows.flat)))
    }
}
