import CallStacks
import MetricKitPayloads

/// Spindumps, and text reports of hangs, CPU usage, disk writes and wakeups: for each process its
/// call trees, outermost first, and then its images.
///
/// From a dump of the whole system, only the process in its `Command:` is read, or all processes if
/// it names none. The user can select other processes.
package enum SpindumpReport: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        if line.starts(with: heaviest) || line.starts(with: dataSource) { return true }
        guard line.starts(with: event) else { return false }
        let what = line.dropFirst(event.count).drop { $0 == 0x20 }
        return events.contains { what.starts(with: $0) }
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        var parser = SpindumpParser(input, choice: input.context.processes)
        parser.read()
        if parser.reports.isEmpty, !parser.skipped.isEmpty {
            if case .named(let names) = input.context.processes {
                let reason = UnreadReason(noProcess: names, among: parser.skipped)
                return file.addUnread(reason, at: input.range)
            }
            parser = SpindumpParser(input, choice: .all)
            parser.read()
        }
        guard let last = parser.reports.last else { return }
        file.reports += parser.reports
        let end = ReportEnd(of: input.lines, input.lines.indices)
        // Another process, which is not read, may follow the report.
        let isAtEnd = last.range.upperBound == input.range.upperBound
        if isAtEnd, parser.lacksTrees || end.isInTree(SpindumpNotation.self) { file.markEnd() }
    }

    static let heaviest = Array("Heaviest stack for ".utf8)
    private static let dataSource = Array("Data Source: ".utf8)
    private static let event = Array("Event: ".utf8)
    private static let events = ["hang", "cpu usage", "disk writes", "wakeups"].map {
        Array($0.utf8)
    }
}

/// Reads the lines of a spindump one by one.
struct SpindumpParser {
    private enum Section { case keys, heaviest, tree, images }

    private let input: TextReportInput
    private let choice: ProcessFilter
    private let lines: TextLines
    private(set) var reports: [CrashReport] = []
    /// The first processes that were not selected.
    private(set) var skipped: [String] = []
    private static let skippedLimit = 1_000
    private var dump = ReportKeys()
    private var dumpStart = 0
    private var heaviest: [NodeRow] = []
    /// Whether the heaviest stack exceeds the limit of lines.
    private var isHeaviestCut = false
    private var process: SampledProcess?
    private var isSkipping = false
    private var section = Section.keys
    /// Whether the text ends inside the header of a process, before its trees.
    private(set) var lacksTrees = false

    /// The images for a process that lists none.
    private let images: [ListedImage]

    init(_ input: TextReportInput, choice: ProcessFilter, images: [ListedImage] = []) {
        self.input = input
        self.choice = choice
        self.images = images
        lines = input.lines
    }

    mutating func read() {
        for line in lines.indices { read(line, content: lines.content(line)) }
        let endsInLine = lines.indices.last.map { lines.lineEnd($0).isEmpty } ?? false
        lacksTrees = endsInLine && section == .keys && process?.trees.isEmpty == true
        finish(at: lines.indices.upperBound, endsDump: true)
    }

    private mutating func read(_ line: Int, content: ArraySlice<UInt8>) {
        // A line that is too long to be read does not end a section.
        if content.isEmpty, !lines.ranges[line].isEmpty { return }
        guard let first = content.first(where: { !$0.isBlank }) else {
            if section != .images { section = .keys }
            return
        }
        if content.starts(with: SpindumpReport.heaviest) {
            section = .heaviest
        } else if let key = ReportKey(content), key.isAtMargin || key.name == "Binary Images" {
            read(key, at: line)
        } else if isSkipping {
            return
        } else if content.starts(with: Self.thread) {
            beginTree(ReportKeys.threadName(in: content), at: line)
        } else if section == .images {
            process?.addImage(content)
        } else if first.isDigit || first == UInt8(ascii: "*") || section == .tree {
            addNode(line, content: content)
        } else if section == .keys, content.first?.isBlank == false {
            process == nil ? dump.keep(content) : process?.keys.keep(content)
        }
    }

    private static let thread = Array("  Thread 0x".utf8)

    private mutating func read(_ key: ReportKey, at line: Int) {
        section = .keys
        switch key.name {
        case "Date/Time" where process != nil || isSkipping || !heaviest.isEmpty:
            finish(at: line, endsDump: true)
            dump = ReportKeys()
            dumpStart = line
            heaviest = []
            isHeaviestCut = false
            isSkipping = false
            dump.add(key)
        case "Process", "Powerstats for":
            finish(at: line)
            isSkipping = !choice.includes(key.value, isTarget: dump.isTarget(key.value))
            if !isSkipping {
                begin(key.value, at: line)
            } else if skipped.count < Self.skippedLimit {
                skipped.append(key.value)
            }
        case "Binary Images":
            if process == nil, !isSkipping { begin(dump["Command"] ?? "", at: dumpStart) }
            section = .images
        default:
            if process != nil {
                process?.keys.add(key)
            } else if !isSkipping {
                dump.add(key)
            }
        }
    }

    private mutating func begin(_ name: String, at line: Int) {
        process = SampledProcess(
            name: name, start: reports.isEmpty ? dumpStart : line, limits: input.context.limits)
    }

    private mutating func beginTree(_ name: String?, at line: Int) {
        section = .tree
        if process == nil { begin(dump["Command"] ?? "", at: line) }
        let isMain = name == "com.apple.main-thread" && dump.kind == .hang
        process?.beginStack(name: name, isAttributed: isMain)
    }

    private mutating func addNode(_ line: Int, content: ArraySlice<UInt8>) {
        let node = SpindumpNotation.line(content)
        if section == .heaviest {
            if let node { addHeaviest(NodeRow(line: line, node: node)) }
            return
        }
        if section != .tree {
            // Reports of microstackshots have no threads.
            guard node?.frame != nil else { return }
            beginTree(nil, at: line)
        }
        if let node {
            process?.trees.add(node, at: line)
        } else if content.first == 0x20, process?.trees.isEmpty == false {
            process?.trees.addUnnamed(
                depth: content.prefix(while: SpindumpNotation.isPrefix).count / 2, at: line)
        }
    }

    private mutating func addHeaviest(_ row: NodeRow) {
        guard heaviest.count < input.context.limits.framesPerTree else {
            isHeaviestCut = true
            return
        }
        heaviest.append(row)
    }

    private mutating func finish(at end: Int, endsDump: Bool = false) {
        if endsDump, process == nil, !heaviest.isEmpty, !isSkipping,
            choice.includes(dump.target, isTarget: dump.isTarget(dump.target))
        {
            begin(dump["Command"] ?? "", at: dumpStart)
        }
        guard var process else { return }
        self.process = nil
        process.addUnlisted(images)
        let header = IPSHeader(input.context.header)
        if let header, header.name == ReportKeys.split(process.name).name {
            process.mainImage = header.mainImage
        }
        // Processes other than the subject of the dump are read only if they are selected.
        let isTarget = !choice.isNamed || dump.isTarget(process.name)
        var (diagnostic, rows) = process.finished(in: dump, heaviest: isTarget ? heaviest : [])
        guard diagnostic.tree.frames.contains(where: { $0.address != nil }) else { return }
        if diagnostic.kind == .unknown { diagnostic.kind = header?.bugType?.kind ?? .unknown }
        if isTarget, isHeaviestCut, !diagnostic.tree.remarks.contains(.frameLimit) {
            diagnostic.tree.remarks.append(.frameLimit)
        }
        if isTarget {
            heaviest = []
            isHeaviestCut = false
        }
        reports.append(
            CrashReport(
                .spindump, range: lines.range(of: process.start..<end), label: process.label,
                content: .resolved(diagnostic),
                rewriter: SampledTreeRewriter<SpindumpNotation>(
                    lines: lines, rows: rows.tree, flatRows: rows.flat)))
    }
}
