import CallStacks
import StackRendering

/// Writes functions into the stacks of allocations, outermost first.
struct AllocationRewriter: ReportRewriter {
    /// A frame in the file.
    struct Record {
        var frame: AllocationFrame
        /// The frame's index in the tree.
        var physical: Int
    }

    private struct Stack {
        var records: [Record]
        var isChain: Bool
    }

    private let lines: TextLines
    private var stacks: [Stack] = []

    init(lines: TextLines) { self.lines = lines }

    /// Adds a stack, outermost frame first.
    mutating func add(_ records: [Record], isChain: Bool) {
        if !records.isEmpty { stacks.append(Stack(records: records, isChain: isChain)) }
    }

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        for stack in stacks {
            let runs = runs(of: stack, results: results, budget: &budget)
            edits += stack.isChain ? runs.flatMap(chainEdits) : rowEdits(runs)
        }
        return edits
    }

    /// The records of a physical frame, and the functions that replace them, outermost first.
    private struct Run {
        var records: ArraySlice<Record>
        var functions: [SymbolicatedFrame]
        /// The number of rows after the edit.
        var count: Int { functions.isEmpty ? records.count : functions.count }
    }

    private func runs(
        of stack: Stack, results: FrameFunctions, budget: inout EditBudget
    ) -> [Run] {
        var runs: [Run] = []
        var start = 0
        while start < stack.records.count {
            let rest = stack.records[start...]
            let physical = rest[start].physical
            let end = rest.firstIndex { $0.physical != physical } ?? rest.endIndex
            var functions = results.functions(at: physical)
            let length = stack.isChain ? 32 : lines.ranges[rest[start].frame.line].count
            if !budget.reserve(functions, repeating: length) { functions = [] }
            runs.append(Run(records: rest[start..<end], functions: functions.reversed()))
            start = end
        }
        return runs
    }
}

/// Stacks with a line for each frame.
extension AllocationRewriter {
    /// Returns edits that number the frames from the innermost one on.
    private func rowEdits(_ runs: [Run]) -> [Edit] {
        guard let last = runs.last?.records.last.flatMap({ row($0.frame.line) }) else { return [] }
        var number = last.number + runs.reduce(0) { $0 + $1.count }
        var edits: [Edit] = []
        for run in runs {
            number -= run.count
            edits +=
                run.functions.isEmpty
                ? renumbered(run, above: number) : rewritten(run, above: number)
        }
        return edits.filter { !lines.bytes[$0.range].elementsEqual($0.bytes) }
    }

    private func row(_ line: Int) -> FrameLine? { FrameLine(lines.content(line)) }

    /// - Parameter number: The number of the run's innermost row.
    private func renumbered(_ run: Run, above number: Int) -> [Edit] {
        run.records.reversed().enumerated().compactMap { index, record in
            numberRange(record.frame.line).map {
                Edit($0, lines.numberField(number + index, over: $0))
            }
        }
    }

    /// Returns the range before the image's name.
    private func numberRange(_ line: Int) -> Range<Int>? {
        row(line).map {
            lines.ranges[line].lowerBound..<lines.fileOffset(inLine: line, at: $0.imageStart)
        }
    }

    /// Returns the rows of a physical frame, modelled on its outermost one.
    private func rewritten(_ run: Run, above number: Int) -> [Edit] {
        guard let first = run.records.first?.frame, let last = run.records.last?.frame,
            let numberRange = numberRange(first.line)
        else { return [] }
        let (start, removed) = lines.gathered(run.records.map(\.frame.line), at: last.line)
        let head = lines.bytes[numberRange.upperBound..<first.range.lowerBound]
        var text: [UInt8] = []
        for (index, function) in run.functions.enumerated() {
            if index > 0 { text += lines.lineEndOrPrevious(first.line) }
            text += lines.numberField(number + run.count - 1 - index, over: numberRange)
            text += head
            if head.last?.isBlank != true { text.append(.space) }
            text += Array(lines.encoded(function.allocationRow).utf8)
        }
        return removed + [Edit(lines.ranges[start].lowerBound..<last.range.upperBound, text)]
    }
}

/// Stacks on one line.
extension AllocationRewriter {
    private func chainEdits(_ run: Run) -> [Edit] {
        guard let first = run.records.first?.frame, let last = run.records.last?.frame,
            let address = first.address, !run.functions.isEmpty
        else { return [] }
        let links = run.functions.map { function in
            let image = first.image ?? shown(function.imageName ?? "???")
            return "0x\(String(address, radix: 16)) (\(image)) \(function.allocationLink)"
        }
        let range = first.range.lowerBound..<last.range.upperBound
        let text = Array(lines.encoded(links.joined(separator: " | ")).utf8)
        return lines.bytes[range].elementsEqual(text) ? [] : [Edit(range, text)]
    }
}

extension SymbolicatedFrame {
    /// `main + 48  main.c:5`
    fileprivate var allocationRow: String {
        var text = shown(function ?? mangled ?? "???")
        if let distance = codeDistance { text += " + \(distance)" }
        if let location = appleLocation { text += "  \(shown(location.file)):\(location.line)" }
        return isInlined ? text + " [inlined]" : text
    }

    /// `main main.c:5`, without the characters that separate frames.
    fileprivate var allocationLink: String {
        var text = shown(function ?? mangled ?? "???")
        if let location = appleLocation { text += " \(shown(location.file)):\(location.line)" }
        if isInlined { text += " [inlined]" }
        return String(text.map { $0 == "|" ? "¦" : $0 })
    }
}
