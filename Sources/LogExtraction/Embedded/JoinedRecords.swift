import Algorithms
import ReportFormats

/// A text spread over the records of a log, with one or several lines per record.
struct JoinedRecords: Sendable {
    /// The maximum number of lines. Each needs some hundred bytes of memory.
    static let linesLimit = 1 << 18

    let file: [UInt8]
    let layout: LogLayout
    private let lines: [LoggedLine]
    /// The start of each line in the text.
    private let starts: [Int]
    /// The lines, separated by line feeds.
    let bytes: [UInt8]
    /// Whether the log has more lines than the limit.
    let isTruncated: Bool

    /// - Parameters:
    ///   - range: The range of the log, starting at a record.
    ///   - key: The key of the records' texts.
    init(_ file: [UInt8], in range: Range<Int>, key: String) {
        self.file = file
        let first = range.lowerBound..<(file[range].firstIndex(of: .newline) ?? range.upperBound)
        let text = LogLayout.text(of: first, in: file, key: key)
        let hasOwnBreaks = text.map { file[$0.range].suffix(2).elementsEqual(#"\n"#.utf8) } ?? false
        layout = LogLayout(
            key: key, hasOwnBreaks: hasOwnBreaks && key == LogLayout.containerKey, prefix: .none)
        // Few records have a stack beside their text.
        let readsAll = LogLayout.text(of: first, in: file)?.key != key
        var records = ProcessLogLines(file, in: range, layout: layout, readsAll: readsAll)
        (lines, starts, bytes) = Self.joined(file) { records.next() }
        isTruncated = lines.count == Self.linesLimit
    }

    /// Joins the texts of the elements of a list.
    ///
    /// - Parameter key: The key of the elements' texts, or `nil` if the elements are strings.
    init(_ file: [UInt8], in list: ListedRecords, key: String?) {
        self.file = file
        layout = LogLayout(key: key, prefix: .none)
        var records = list.lines(ofTextsAt: key, in: file).makeIterator()
        (lines, starts, bytes) = Self.joined(file) { records.next() }
        isTruncated = lines.count == Self.linesLimit
    }

    private static func joined(
        _ file: [UInt8], _ next: () -> LoggedLine?
    ) -> (lines: [LoggedLine], starts: [Int], bytes: [UInt8]) {
        var lines: [LoggedLine] = []
        var starts: [Int] = []
        var bytes: [UInt8] = []
        while lines.count < linesLimit, let line = next() {
            if !lines.isEmpty { bytes.append(.newline) }
            lines.append(line)
            starts.append(bytes.count)
            bytes += line.content(in: file)
        }
        return (lines, starts, bytes)
    }

    /// Returns the bytes in the file of the lines that contain a range of the text.
    func range(of range: Range<Int>) -> Range<Int> {
        guard !lines.isEmpty else { return 0..<0 }
        let (first, last) = (lines[line(at: range.lowerBound)], lines[line(at: range.upperBound)])
        return first.range.lowerBound..<max(first.range.lowerBound, last.range.upperBound)
    }

    /// Converts edits of the text to edits of the file. Added lines get copies of the preceding
    /// record.
    func edits(_ changes: [Edit], budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        var group: [Edit] = []
        for change in changes.inOrder(before: bytes.count) {
            if let last = group.last,
                line(at: last.range.upperBound) < line(at: change.range.lowerBound)
            {
                edits += self.edits(ofGroup: group, budget: &budget)
                group = []
            }
            group.append(change)
        }
        return edits + self.edits(ofGroup: group, budget: &budget)
    }

    /// - Parameter changes: Edits of consecutive lines.
    private func edits(ofGroup changes: [Edit], budget: inout EditBudget) -> [Edit] {
        guard let start = changes.first?.range.lowerBound, let end = changes.last?.range.upperBound
        else { return [] }
        let (first, last) = (line(at: start), line(at: end))
        let position = starts[first]
        let moved = changes.map { $0.moved(by: -position) }
        if first == last, !changes.contains(where: { $0.bytes.contains(.newline) }) {
            return lines[first].edits(moved, in: file)
        }
        let textEnd = last + 1 < starts.count ? starts[last + 1] - 1 : bytes.count
        let rows = moved.applied(to: Array(bytes[position..<textEnd]))
            .split(separator: .newline, omittingEmptySubsequences: false).map(Array.init)
        let copied = lines[last].fragments.last?.record.count ?? 0
        guard budget.reserve(copied * max(rows.count - (last - first), 0)) else { return [] }
        return edits(replacing: lines[first...last], by: rows)
    }

    /// Replaces old lines one by one. Further new lines follow the last one.
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

    /// Returns the line that contains a position of the text.
    private func line(at position: Int) -> Int {
        max(starts.partitioningIndex { $0 > position } - 1, 0)
    }
}

extension JoinedRecords: EmbeddedTextSource {
    /// The starts of the records' texts, and of the lines in them. If there are more lines than the
    /// limit, the last text may be incomplete and is omitted.
    var stringStarts: [Int]? {
        let starts = lines.flatMap(\.fragments).map(\.content.lowerBound)
        guard isTruncated, let last = starts.last else { return starts }
        let record = file[..<last].lastIndex(of: .newline) ?? 0
        return starts.filter { $0 <= record }
    }

    func fileEdits(_ edits: [Edit]) -> [Edit] {
        var budget = EditBudget(fileByteCount: .max / 2)
        return self.edits(edits, budget: &budget)
    }
}

/// Writes functions into a report spread over the records of a log.
struct JoinedRecordsRewriter: ReportRewriter {
    let text: JoinedRecords
    /// Rewrites the report in the text.
    let report: any ReportRewriter

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        text.edits(report.edits(with: results, budget: &budget), budget: &budget)
    }
}
