import CallStacks

/// Writes functions into the lines of call trees.
///
/// Inlined calls become lines below their function, and what is below of it moves right.
struct SampledTreeRewriting<Notation: TreeNotation>: ReportRewriting {
    let lines: TextLines
    /// The lines of the trees.
    let rows: [SampledTrees.Row]
    /// The lines of a path that is listed without depths.
    let flatRows: [SampledTrees.Row]

    func edits(with answers: AnsweredFrames) -> [Edit] {
        var edits: [Edit] = []
        for run in Self.runs(flatRows) {
            if let text = replacement(of: flatRows[run], answers, shift: TreeShift(), step: 0) {
                edits.append(text.edit)
            }
        }
        var shift = TreeShift()
        for run in Self.runs(rows) {
            let prefix = prefix(rows[run.lowerBound].line)
            shift.close(downTo: prefix.count)
            if let text = replacement(of: rows[run], answers, shift: shift, step: 2) {
                edits.append(text.edit)
                shift.open(prefix, levels: text.lineCount - run.count)
            } else if !shift.isEmpty {
                edits += rows[run].map { self.shift($0.line, by: shift) }
            }
        }
        return edits
    }

    /// The lines of one frame each, or one that belongs to none.
    private static func runs(_ rows: [SampledTrees.Row]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in rows.indices {
            let isLast = index + 1 == rows.count
            let isSame = !isLast && rows[index].frame != nil
            if isSame, rows[index].frame == rows[index + 1].frame,
                rows[index].line + 1 == rows[index + 1].line
            {
                continue
            }
            runs.append(start..<index + 1)
            start = index + 1
        }
        return runs
    }

    /// The lines of a frame with its functions, outermost first; `nil` where they stay as they are.
    ///
    /// - Parameter step: How many blanks deeper each line is than the one before.
    private func replacement(
        of run: ArraySlice<SampledTrees.Row>, _ answers: AnsweredFrames, shift: TreeShift, step: Int
    ) -> (edit: Edit, lineCount: Int)? {
        guard let first = run.first, let last = run.last, let physical = first.frame,
            let line = Notation.line(lines.content(first.line)), let frame = line.frame
        else { return nil }
        let functions = answers.functions(at: physical)
        guard !functions.isEmpty else { return nil }
        let prefix = shift.applied(to: Array(line.bytes.bytes[line.prefix]))
        let count = line.bytes.text(line.prefix.upperBound..<line.text)
        let texts = functions.reversed().enumerated().map { depth, function in
            let own = prefix.indented(by: step * depth, at: prefix.count)
            return String(decoding: own, as: UTF8.self) + count
                + lines.encoded(Notation.text(of: function, at: line, frame))
        }
        let end = lines.lineEnd(first.line)
        let lineEnd = end.isEmpty ? "\n" : String(decoding: end, as: UTF8.self)
        let range =
            lines.ranges[first.line].lowerBound..<lines.ranges[last.line].upperBound
        return (Edit(range, texts.joined(separator: lineEnd)), functions.count)
    }

    private func shift(_ line: Int, by shift: TreeShift) -> Edit {
        let prefix = prefix(line)
        let start = lines.ranges[line].lowerBound
        return Edit(start..<start + prefix.count, shift.applied(to: prefix))
    }

    private func prefix(_ line: Int) -> [UInt8] {
        Array(lines.content(line).prefix(while: Notation.isPrefix))
    }
}

/// How far lines move, because functions above them became more lines or fewer.
struct TreeShift {
    /// Of each function above: its prefix's length, and levels that were added behind it.
    private var open: [(length: Int, levels: Int)] = []

    var isEmpty: Bool { open.isEmpty }

    /// Ends what is not above a line with a prefix of that length.
    mutating func close(downTo length: Int) {
        while let last = open.last, last.length >= length { open.removeLast() }
    }

    mutating func open(_ prefix: [UInt8], levels: Int) {
        if levels != 0 { open.append((prefix.count, levels)) }
    }

    /// A prefix with blanks behind those of the functions above, so that rulers stay below the line
    /// that they belong to.
    func applied(to prefix: [UInt8]) -> [UInt8] {
        open.reversed().reduce(prefix) { prefix, function in
            prefix.indented(by: 2 * function.levels, at: function.length)
        }
    }
}

extension [UInt8] {
    /// A prefix with more blanks, or fewer, at a place. The star of a kernel frame stays at its end.
    fileprivate func indented(by width: Int, at place: Int) -> Self {
        let star = last == UInt8(ascii: "*") ? count - 1 : count
        let place = Swift.min(place, star)
        var result = self
        if width >= 0 {
            result.insert(contentsOf: repeatElement(0x20, count: width), at: place)
        } else if place - width <= star, self[place..<place - width].allSatisfy({ $0 == 0x20 }) {
            result.removeSubrange(place..<place - width)
        }
        return result
    }
}
