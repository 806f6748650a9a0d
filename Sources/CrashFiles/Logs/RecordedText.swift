/// A text that stands in the records of a log, line by line or some lines a record.
struct RecordedText: Sendable {
    /// More lines are not read: each costs some hundred bytes of memory.
    static let linesLimit = 1 << 18

    let file: [UInt8]
    private let lines: [LoggedLine]
    /// Where each line begins in the text.
    private let starts: [Int]
    /// The lines, each but the last with a line feed behind it.
    let bytes: [UInt8]
    /// Whether the log has more lines than are read.
    let isCut: Bool

    /// - Parameters:
    ///   - range: Of the log; begins with a record.
    ///   - key: Under which records have their text.
    init(_ file: [UInt8], in range: Range<Int>, key: String) {
        self.file = file
        let first = range.lowerBound..<(file[range].firstIndex(of: .newline) ?? range.upperBound)
        let text = LogForm.text(of: first, in: file, key: key)
        let hasOwnBreaks = text.map { file[$0.range].suffix(2).elementsEqual(#"\n"#.utf8) } ?? false
        var records = LogLines(
            file, in: range,
            form: LogForm(
                key: key, hasOwnBreaks: hasOwnBreaks && key == LogForm.containerKey, prefix: .none))
        var lines: [LoggedLine] = []
        var starts: [Int] = []
        var bytes: [UInt8] = []
        while lines.count < Self.linesLimit, let line = records.next() {
            if !lines.isEmpty { bytes.append(.newline) }
            lines.append(line)
            starts.append(bytes.count)
            bytes += line.content(in: file)
        }
        isCut = lines.count == Self.linesLimit
        self.lines = lines
        self.starts = starts
        self.bytes = bytes
    }

    /// The bytes in the file of the lines that hold a range of the text.
    func range(of range: Range<Int>) -> Range<Int> {
        guard !lines.isEmpty else { return 0..<0 }
        let (first, last) = (lines[line(at: range.lowerBound)], lines[line(at: range.upperBound)])
        return first.range.lowerBound..<max(first.range.lowerBound, last.range.upperBound)
    }

    /// Changes of the text as changes of the file. Lines that are added get records like those
    /// before them.
    func edits(_ changes: [Edit], _ budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        var group: [Edit] = []
        for change in changes.inOrder(before: bytes.count) {
            if let last = group.last,
                line(at: last.range.upperBound) < line(at: change.range.lowerBound)
            {
                edits += self.edits(ofGroup: group, &budget)
                group = []
            }
            group.append(change)
        }
        return edits + self.edits(ofGroup: group, &budget)
    }

    /// - Parameter changes: Of lines that follow one another.
    private func edits(ofGroup changes: [Edit], _ budget: inout EditBudget) -> [Edit] {
        guard let start = changes.first?.range.lowerBound, let end = changes.last?.range.upperBound
        else { return [] }
        let (first, last) = (line(at: start), line(at: end))
        let place = starts[first]
        let moved = changes.map { $0.moved(by: -place) }
        if first == last, !changes.contains(where: { $0.bytes.contains(.newline) }) {
            return lines[first].edits(moved, in: file)
        }
        let textEnd = last + 1 < starts.count ? starts[last + 1] - 1 : bytes.count
        let rows = moved.applied(to: Array(bytes[place..<textEnd]))
            .split(separator: .newline, omittingEmptySubsequences: false).map(Array.init)
        let copied = lines[last].pieces.last?.record.count ?? 0
        guard budget.takes(copied * max(rows.count - (last - first), 0)) else { return [] }
        return edits(replacing: lines[first...last], by: rows)
    }

    /// Each new line takes the place of an old one; further ones follow the last.
    private func edits(replacing old: ArraySlice<LoggedLine>, by rows: [[UInt8]]) -> [Edit] {
        var rest = rows[...]
        var edits: [Edit] = []
        for (index, line) in zip(old.indices, old) {
            let taken = index == old.endIndex - 1 ? rest : rest.prefix(1)
            edits += line.edits(rewritingAs: Array(taken), in: file)
            rest = rest.dropFirst(taken.count)
        }
        return edits
    }

    /// The line that holds a place of the text.
    private func line(at place: Int) -> Int {
        max(starts.orderedPrefixCount { $0 <= place } - 1, 0)
    }
}

/// Writes a report that stands in the records of a log.
struct RecordedRewriting: ReportRewriting {
    let text: RecordedText
    /// That of the report in the text.
    let report: any ReportRewriting

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        text.edits(report.edits(with: answers, &budget), &budget)
    }
}
