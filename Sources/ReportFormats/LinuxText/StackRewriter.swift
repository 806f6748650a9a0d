import CallStacks

/// Writes functions into the lines of stacks. Inlined calls become lines before their function, and
/// the following frames are renumbered.
struct StackRewriter: ReportRewriter {
    /// The lines of a physical frame. The last one is that of the function that owns the code.
    struct Record {
        /// The lines, never empty.
        var lines: [StackParser.Line]
        /// The frame's index in the tree, or `nil` if a limit excluded it.
        var physical: Int?

        var last: StackParser.Line { lines[lines.count - 1] }
    }

    let lines: TextLines
    let notation: any StackNotation.Type
    let stacks: [[Record]]

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        stacks.flatMap { edits(of: $0, with: results, budget: &budget) }
    }

    private func edits(
        of stack: [Record], with results: FrameFunctions, budget: inout EditBudget
    ) -> [Edit] {
        var edits: [Edit] = []
        var shift = 0
        for record in stack {
            let functions = functions(of: record, results)
            let length = lines.ranges[record.last.line].count
            guard !functions.isEmpty, budget.reserve(functions, repeating: length) else {
                edits += record.lines.compactMap { renumbering($0, by: shift) }
                continue
            }
            edits += rewritten(record, to: functions, shift: shift)
            shift += functions.count - record.lines.count
        }
        return edits
    }

    private func functions(of record: Record, _ results: FrameFunctions) -> [SymbolicatedFrame] {
        guard record.last.frame.slot != nil, let physical = record.physical else { return [] }
        return results.functions(at: physical)
    }

    private func rewritten(
        _ record: Record, to functions: [SymbolicatedFrame], shift: Int
    ) -> [Edit] {
        let frame = record.last.frame
        let last = record.last.sourceLine ?? record.last.line
        let old = record.lines.flatMap { [$0.line, $0.sourceLine].compactMap(\.self) }
        let (first, removed) = lines.gathered(old, at: last)
        let number = frame.number.map { $0 + shift - (record.lines.count - 1) }
        let line = NodeBytes(lines.content(record.last.line))
        let end = lines.lineEnd(last)
        let lineEnd = end.isEmpty ? [UInt8.newline] : Array(end)
        var bytes: [UInt8] = []
        for (index, function) in functions.enumerated() {
            if index > 0 { bytes += lineEnd }
            let number = number.map { $0 + index }
            bytes += text(of: function, in: record.last, line, number: number, lineEnd: lineEnd)
        }
        let range = lines.ranges[first].lowerBound..<lines.ranges[last].upperBound
        return removed + [Edit(range, bytes)]
    }

    /// Returns a frame's line with another function. The bytes around its slot are copied from the
    /// file, where they may be entities or other blanks.
    private func text(
        of function: SymbolicatedFrame, in old: StackParser.Line, _ line: NodeBytes, number: Int?,
        lineEnd: [UInt8]
    ) -> [UInt8] {
        let frame = old.frame
        func copied(_ range: Range<Int>) -> ArraySlice<UInt8> {
            lines.fileBytes(inLine: old.line, range)
        }
        guard let slot = frame.slot else { return Array(copied(0..<line.count)) }
        var start: [UInt8] = []
        var position = 0
        if let number, number != frame.number, let range = frame.numberRange {
            start += copied(0..<range.lowerBound)
            start += padded(number, over: line.bytes[range])
            position = range.upperBound
        }
        start += copied(position..<slot.lowerBound)
        let text = lines.encoded(notation.text(of: function, in: frame, line))
        // A source location may have its own line.
        let rows = text.utf8.split(separator: .newline).map(Array.init)
        let separator = lineEnd + copied(0..<frame.prefixLength)
        return start + rows.joined(separator: separator) + copied(slot.upperBound..<line.count)
    }

    private func renumbering(_ line: StackParser.Line, by shift: Int) -> Edit? {
        guard shift != 0, let number = line.frame.number, let range = line.frame.numberRange
        else { return nil }
        let fileRange =
            lines.fileOffset(
                inLine: line.line, at: range.lowerBound)..<lines.fileOffset(
                inLine: line.line, at: range.upperBound)
        return Edit(
            fileRange,
            padded(
                number + shift,
                over: lines.content(line.line).dropFirst(
                    range.lowerBound
                ).prefix(range.count)))
    }

    /// Returns a number padded to the width of the old one, followed by a space if that was, or
    /// aligned to the right if the notation does so.
    private func padded(_ number: Int, over old: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array(String(number).utf8)
        if notation.numberWidth > 0 {
            let blankCount = max(0, notation.numberWidth - digits.count)
            return [UInt8](repeating: .space, count: blankCount) + digits
        }
        let blankCount = old.last?.isBlank == true ? max(1, old.count - digits.count) : 0
        return digits + [UInt8](repeating: .space, count: blankCount)
    }
}
