import CallStacks

/// Writes functions into the lines of call trees.
///
/// Inlined calls become lines below their function, and the lines below are indented further.
struct SampledTreeRewriter<Notation: TreeNotation>: ReportRewriter {
    let lines: TextLines
    /// The lines of the trees.
    let rows: [SampledTrees.Row]
    /// The lines of the heaviest stack, which has no depths.
    let flatRows: [SampledTrees.Row]

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        for run in Self.runs(flatRows) {
            let text = replacement(
                of: flatRows[run], results: results, shift: TreeShift(), step: 0, budget: &budget)
            if let text { edits += text.edits }
        }
        var shift = TreeShift()
        for run in Self.runs(rows) {
            let prefix = prefix(rows[run.lowerBound].line)
            shift.close(downTo: prefix.count)
            if let text = replacement(
                of: rows[run], results: results, shift: shift, step: 1, budget: &budget)
            {
                edits += text.edits
                shift.open(prefix, inlined: text.lineCount - 1, before: run.count - 1)
            } else {
                edits += rows[run].compactMap { self.shift($0.line, by: shift) }
                shift.open(prefix, inlined: run.count - 1, before: run.count - 1)
            }
        }
        return edits
    }

    /// Groups consecutive lines by frame. A recursive frame has one group for each call.
    private static func runs(_ rows: [SampledTrees.Row]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (index, row) in rows.enumerated() {
            if row.isInlined, let last = runs.last, rows[last.lowerBound].frame == row.frame {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }

    /// Returns the lines of a frame's functions, outermost first, or `nil` if they stay unchanged.
    ///
    /// - Parameter step: The number of levels by which each line is deeper than the one before.
    private func replacement(
        of run: ArraySlice<SampledTrees.Row>, results: FrameFunctions, shift: TreeShift,
        step: Int, budget: inout EditBudget
    ) -> (edits: [Edit], lineCount: Int)? {
        guard let first = run.first, let last = run.last, let physical = first.frame,
            let line = Notation.line(lines.content(first.line)), let frame = line.frame
        else { return nil }
        let found = results.functions(at: physical)
        guard !found.isEmpty else { return nil }
        let functions = found.suffix(step == 0 ? found.count : shift.room + 1)
        let length = lines.ranges[first.line].count + 2 * step * functions.count
        guard budget.reserve(Array(functions), repeating: length) else { return nil }
        let oldPrefix = Array(line.bytes.bytes[line.prefix])
        let prefix = shift.applied(to: oldPrefix)
        let count = lines.fileBytes(inLine: first.line, line.prefix.upperBound..<line.text)
        let texts = functions.reversed().enumerated().map { depth, function in
            let own = prefix.deeper(by: step * depth)
            let start =
                own == oldPrefix ? lines.fileBytes(inLine: first.line, line.prefix) : own[...]
            return start + count + lines.encoded(Notation.text(of: function, at: line, frame)).utf8
        }
        let end = lines.lineEnd(first.line)
        let lineEnd = end.isEmpty ? [UInt8.newline] : Array(end)
        let (start, removed) = lines.gathered(run.map(\.line), at: last.line)
        let range = lines.ranges[start].lowerBound..<lines.ranges[last.line].upperBound
        return (removed + [Edit(range, Array(texts.joined(separator: lineEnd)))], functions.count)
    }

    private func shift(_ line: Int, by shift: TreeShift) -> Edit? {
        let prefix = prefix(line)
        let shifted = shift.applied(to: prefix)
        let range =
            lines.ranges[line].lowerBound..<lines.fileOffset(inLine: line, at: prefix.count)
        return shifted == prefix ? nil : Edit(range, shifted)
    }

    private func prefix(_ line: Int) -> [UInt8] {
        Array(lines.content(line).prefix(while: Notation.isPrefix))
    }
}

/// The change of indentation caused by added or removed lines above.
struct TreeShift {
    /// The maximum depth of inlined calls, because text grows with the square of its depth.
    static let inlinedLimit = 1_024

    /// For each function above: the length of its prefix, its inlined calls, and the levels added.
    private var open: [(length: Int, inlined: Int, levels: Int)] = []
    private var inlined = 0

    /// The number of further inlined calls that may be written.
    var room: Int { max(Self.inlinedLimit - inlined, 0) }

    /// Closes functions that are not above a line with this prefix length.
    mutating func close(downTo length: Int) {
        while let last = open.last, last.length >= length {
            inlined -= last.inlined
            open.removeLast()
        }
    }

    mutating func open(_ prefix: [UInt8], inlined: Int, before: Int) {
        guard inlined > 0 || before > 0 else { return }
        self.inlined += inlined
        open.append((prefix.count, inlined, inlined - before))
    }

    /// Returns a prefix with blanks added or removed after those of the functions above, so that
    /// rulers stay below their line.
    func applied(to prefix: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var done = 0
        for function in open {
            let length = min(max(function.length, done), prefix.endOfIndent)
            result += prefix[done..<length]
            done = length
            if function.levels > 0 {
                result += repeatElement(0x20, count: 2 * function.levels)
            } else {
                let end = min(length - 2 * function.levels, prefix.endOfIndent)
                if prefix[length..<end].allSatisfy({ $0 == 0x20 }) { done = end }
            }
        }
        return result + prefix[done...]
    }
}

extension [UInt8] {
    /// The index of a kernel frame's star, or the end.
    fileprivate var endOfIndent: Int { last == UInt8(ascii: "*") ? count - 1 : count }

    /// Returns the prefix for a line that is deeper by a number of levels.
    fileprivate func deeper(by levels: Int) -> Self {
        self[..<endOfIndent] + Array(repeating: 0x20, count: 2 * levels) + self[endOfIndent...]
    }
}
