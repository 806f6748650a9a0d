import Algorithms
import CallStacks

/// The rows of all sequences of a unit, as one searchable list.
///
/// Sequences may be in any order and may overlap. Of those that cover an address, the one with the
/// greatest start counts:
///
///     first    ├────────────────────────────┤
///     second        ├─────────┤
///     table    ├────┼─────────┼─────────────┤ none
///
/// Functions that the linker removed may keep sequences that start where another function does. So a
/// function gets the rows of the sequence with its own range, if there is one.
struct LineTable {
    /// The rows in ascending order of start. Gaps have a row with ``SourcePosition/none``.
    private(set) var rows: [LineRow]
    /// The rows of sequences that start at the same address as another one, by range.
    private let sharedStarts: [Range<ImageOffset>: [LineRow]]

    /// - Parameters:
    ///   - files: The files of the program by their numbers in it.
    ///   - storage: An empty list for the rows.
    init(
        _ program: LineProgram, code: CodeLayout, files: [FileNumber?],
        storage: consuming [LineRow]
    ) {
        var merge = SequenceMerge(program, code: code, files: files, storage: storage)
        merge.run()
        rows = merge.rows
        sharedStarts = merge.sharedStarts
    }

    /// Appends the rows that cover the ascending `ranges`. The first may start before its range.
    func appendRows(covering ranges: [Range<ImageOffset>], to found: inout [LineRow]) {
        for range in ranges {
            if !sharedStarts.isEmpty, let own = sharedStarts[range] {
                found.append(contentsOf: own)
                continue
            }
            var first = firstRow(covering: range.lowerBound)
            if let last = found.last {
                while first < rows.count, rows[first].start <= last.start { first += 1 }
            }
            var end = first
            while end < rows.count, rows[end].start < range.upperBound { end += 1 }
            found.append(contentsOf: rows[first..<end])
        }
    }

    /// The range from the first to the last code with rows, or `nil` if there are none.
    var extent: Range<ImageOffset>? {
        guard let first = rows.first, let last = rows.last else { return nil }
        return first.start..<last.start
    }

    /// Calls `body` with the rows that cover `range`, clipped to it, in runs without gaps. The last
    /// row of each run marks its end.
    func forEachRun(in range: Range<ImageOffset>, _ body: ([LineRow]) -> Void) {
        var run: [LineRow] = []
        var index = firstRow(covering: range.lowerBound)
        while index < rows.count, rows[index].start < range.upperBound {
            var row = rows[index]
            row.start = max(row.start, range.lowerBound)
            index += 1
            if row.position != .none {
                run.append(row)
            } else if !run.isEmpty {
                run.append(row)
                body(run)
                run.removeAll(keepingCapacity: true)
            }
        }
        if run.isEmpty { return }
        run.append(LineRow(start: range.upperBound, position: .none))
        body(run)
    }

    /// Returns the last row that starts at or before `offset`, or the first if there is none.
    private func firstRow(covering offset: ImageOffset) -> Int {
        max(rows.partitioningIndex { $0.start > offset } - 1, 0)
    }
}

/// A merge of the overlapping sequences of a program.
private struct SequenceMerge {
    private let programRows: [ProgramRow]
    private let sequences: [LineSequence]
    private let code: CodeLayout
    private let files: [FileNumber?]
    /// The open sequences, in ascending order of start. The last one counts.
    private var open: [LineSequence] = []
    private(set) var rows: [LineRow]
    /// The rows of sequences that start at the same address as another one, by range.
    private(set) var sharedStarts: [Range<ImageOffset>: [LineRow]] = [:]

    init(
        _ program: LineProgram, code: CodeLayout, files: [FileNumber?],
        storage: consuming [LineRow]
    ) {
        rows = storage
        programRows = program.rows
        sequences = program.sequences
        self.code = code
        self.files = files
        rows.reserveCapacity(programRows.count + sequences.count)
    }

    mutating func run() {
        var sequences = sequences
        if !Self.isOrdered(sequences) {
            sequences.sort { left, right in
                // Of two with the same start, the shorter one counts, or else the earlier one, as
                // with functions.
                (left.range.lowerBound, right.range.upperBound, right.rows.lowerBound)
                    < (right.range.lowerBound, left.range.upperBound, left.rows.lowerBound)
            }
            collectSharedStarts(of: sequences)
        }
        for (index, sequence) in sequences.enumerated() {
            close(before: sequence.range.lowerBound)
            let next = index + 1 < sequences.count ? sequences[index + 1].range.lowerBound : nil
            if next.map({ $0 >= sequence.range.upperBound }) ?? true, open.isEmpty {
                appendWhole(sequence)
            } else {
                open.append(sequence)
                append(sequence, from: sequence.range.lowerBound, before: next)
            }
        }
        close(before: nil)
    }

    /// Whether each sequence starts after the end of the previous one. Most tables are ordered, and
    /// need no sorting.
    private static func isOrdered(_ sequences: [LineSequence]) -> Bool {
        zip(sequences, sequences.dropFirst()).allSatisfy {
            $0.range.lowerBound < $1.range.lowerBound
        }
    }

    /// - Parameter sequences: All sequences, sorted so that the one that counts is the last of those
    ///   with the same start.
    private mutating func collectSharedStarts(of sequences: [LineSequence]) {
        for group in sequences.chunked(on: \.range.lowerBound) where group.1.count > 1 {
            for sequence in group.1 {
                sharedStarts[sequence.range] = sequence.rows.compactMap { index in
                    code.offset(of: programRows[index].address).map {
                        LineRow(start: $0, position: position(of: programRows[index]))
                    }
                }
            }
        }
    }

    /// Appends a sequence that does not overlap another.
    private mutating func appendWhole(_ sequence: LineSequence) {
        // The last row is kept in a variable, because reading it back would wait for the store.
        var last: (start: ImageOffset, line: UInt32, column: UInt32)?
        for index in sequence.rows {
            let row = programRows[index]
            guard let start = code.offset(of: row.address) else { continue }
            let new = LineRow(start: start, position: position(of: row))
            if let last, start != last.start, row.line != last.line || row.column != last.column {
                rows.append(new)
            } else {
                append(new)
            }
            last = (start, row.line, row.column)
        }
        append(LineRow(start: sequence.range.upperBound, position: .none))
    }

    /// Closes the open sequences that end at or before `limit`, and resumes those below them.
    private mutating func close(before limit: ImageOffset?) {
        while let end = open.last?.range.upperBound, limit.map({ end <= $0 }) ?? true {
            while let last = open.last, last.range.upperBound <= end { open.removeLast() }
            if let covered = open.last {
                append(covered, from: end, before: limit)
            } else {
                append(LineRow(start: end, position: .none))
            }
        }
    }

    /// Appends the rows of `sequence` from `start` to its end or to `limit`.
    private mutating func append(
        _ sequence: LineSequence, from start: ImageOffset, before limit: ImageOffset?
    ) {
        for index in firstRow(of: sequence, covering: start)..<sequence.rows.upperBound {
            guard let offset = code.offset(of: programRows[index].address) else { continue }
            let first = max(offset, start)
            if let limit, first >= limit { return }
            append(LineRow(start: first, position: position(of: programRows[index])))
        }
    }

    private func firstRow(of sequence: LineSequence, covering offset: ImageOffset) -> Int {
        let next = programRows[sequence.rows].partitioningIndex {
            code.offset(of: $0.address).map { $0 > offset } ?? true
        }
        return max(next - 1, sequence.rows.lowerBound)
    }

    @inline(__always)
    private mutating func append(_ row: LineRow) {
        if let last = rows.last, last.start == row.start { rows.removeLast() }
        if let last = rows.last, last.position == row.position { return }
        rows.append(row)
    }

    @inline(__always)
    private func position(of row: ProgramRow) -> SourcePosition {
        let file = Int(row.file) < files.count ? files[Int(row.file)] : nil
        return SourcePosition(file: file, line: row.line, column: row.column)
    }
}
