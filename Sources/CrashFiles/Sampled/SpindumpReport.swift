import CallStacks
import MetricKitPayloads

/// Text of spindumps, and of reports of hangs, CPU usage, disk writes and wakeups: for each process
/// its call trees, outermost first, and then its images.
///
/// A dump of the whole system is read for the process that its `Command:` names, for all where it
/// names none, and for others where they are asked for.
enum SpindumpReport: TextReportReading {
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool {
        if line.starts(with: heaviest) || line.starts(with: dataSource) { return true }
        guard line.starts(with: event) else { return false }
        let what = line.dropFirst(event.count).drop { $0 == 0x20 }
        return events.contains { what.starts(with: $0) }
    }

    static func read(_ part: TextPart, into file: inout CrashFile) {
        var reading = SpindumpReading(part, choice: part.context.processes)
        reading.read()
        if reading.reports.isEmpty, !reading.skipped.isEmpty {
            if case .named(let names) = part.context.processes {
                let refusal = Refusal(noProcess: names, among: reading.skipped)
                return file.refuse(refusal, at: part.range)
            }
            reading = SpindumpReading(part, choice: .all)
            reading.read()
        }
        file.reports += reading.reports
    }

    static let heaviest = Array("Heaviest stack for ".utf8)
    private static let dataSource = Array("Data Source: ".utf8)
    private static let event = Array("Event: ".utf8)
    private static let events = ["hang", "cpu usage", "disk writes", "wakeups"].map {
        Array($0.utf8)
    }
}

/// The lines of a spindump, one after the other.
struct SpindumpReading {
    private enum Section { case keys, heaviest, tree, images }

    private let part: TextPart
    private let choice: ProcessChoice
    private let lines: TextLines
    private(set) var reports: [CrashReport] = []
    /// The first processes besides those that are kept.
    private(set) var skipped: [String] = []
    private static let skippedLimit = 1_000
    private var dump = ReportKeys()
    private var dumpStart = 0
    private var heaviest: [NodeRow] = []
    /// Whether the heaviest path has more lines than are read.
    private var isHeaviestCut = false
    private var process: SampledProcess?
    private var isSkipping = false
    private var section = Section.keys

    /// Those of a process that lists none.
    private let images: [ReportedImage]

    init(_ part: TextPart, choice: ProcessChoice, images: [ReportedImage] = []) {
        self.part = part
        self.choice = choice
        self.images = images
        lines = part.lines
    }

    mutating func read() {
        for line in lines.indices { read(line, lines.content(line)) }
        finish(at: lines.indices.upperBound, endsDump: true)
    }

    private mutating func read(_ line: Int, _ content: ArraySlice<UInt8>) {
        // A line that is too long to be read ends nothing.
        if content.isEmpty, !lines.ranges[line].isEmpty { return }
        guard let first = content.first(where: { !$0.isBlank }) else {
            if section != .images { section = .keys }
            return
        }
        if content.starts(with: SpindumpReport.heaviest) {
            section = .heaviest
        } else if let key = ReportKey(content), key.isAtMargin || key.name == "Binary Images" {
            read(key, line)
        } else if isSkipping {
            return
        } else if content.starts(with: Self.thread) {
            beginTree(ReportKeys.threadName(in: content), at: line)
        } else if section == .images {
            process?.addImage(content)
        } else if first.isDigit || first == UInt8(ascii: "*") || section == .tree {
            addNode(line, content)
        }
    }

    private static let thread = Array("  Thread 0x".utf8)

    private mutating func read(_ key: ReportKey, _ line: Int) {
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
            isSkipping = !choice.takes(key.value, of: dump)
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
            name: name, start: reports.isEmpty ? dumpStart : line, limits: part.context.limits)
    }

    private mutating func beginTree(_ name: String?, at line: Int) {
        section = .tree
        if process == nil { begin(dump["Command"] ?? "", at: line) }
        let isMain = name == "com.apple.main-thread" && dump.kind == .hang
        process?.beginStack(name: name, isAttributed: isMain)
    }

    private mutating func addNode(_ line: Int, _ content: ArraySlice<UInt8>) {
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
        guard heaviest.count < part.context.limits.framesPerTree else {
            isHeaviestCut = true
            return
        }
        heaviest.append(row)
    }

    private mutating func finish(at end: Int, endsDump: Bool = false) {
        if endsDump, process == nil, !heaviest.isEmpty, !isSkipping,
            choice.takes(dump.target, of: dump)
        {
            begin(dump["Command"] ?? "", at: dumpStart)
        }
        guard var process else { return }
        self.process = nil
        process.addUnlisted(images)
        let header = IPSHeader(part.context.header)
        if let header, header.name == ReportKeys.split(process.name).name {
            process.mainImage = header.mainImage
        }
        // Others than the one that the dump is about are read only where they are asked for.
        let isTarget = !choice.isNamed || dump.isTarget(process.name)
        var (diagnostic, rows) = process.finished(in: dump, heaviest: isTarget ? heaviest : [])
        guard !diagnostic.tree.frames.isEmpty else { return }
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
                rewriting: SampledTreeRewriting<SpindumpNotation>(
                    lines: lines, rows: rows.tree, flatRows: rows.flat)))
    }
}
