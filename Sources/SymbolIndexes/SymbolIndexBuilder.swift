public import CallStacks

/// Takes what a debug file says about code, in any order, and turns it into the bytes of an index.
///
/// It keeps numbers in flat arrays, and every name once, so its memory is in proportion to the index
/// and not to the debug file. The bytes depend on the set of records and on nothing else: not on
/// their order, nor on how they were spread over builders that were merged.
///
/// Two records for one piece of code need different ``FunctionRecord/order`` to be told apart.
public struct SymbolIndexBuilder: DebugRecordSink, Sendable {
    var image: IndexedImage
    /// Where symbols without a size end at the latest.
    var layout: ImageLayout
    var names = ByteInterner()
    var files = SourceFileTable()
    var parts: [CodePart] = []
    var scopes: [StagedScope] = []
    var entries: [StagedEntry] = []
    var symbols: [StagedSymbol] = []
    var sequences: [RowSequence] = []
    /// The rows of ``sequences``; their scope means nothing.
    var rows: [StagedEntry] = []
    var functionStarts: [UInt64] = []
    /// How many functions lost their inlined calls because they nest too deep.
    var functionsCutFlat = 0
    var entryLimit = IndexLimits.entries
    var scopeLimit = IndexLimits.scopes
    /// What there is too much of, if anything.
    var excess: SymbolIndexError?
    private var flattening = InlineFlattening()

    /// - Parameter layout: Its executable sections bound the symbols that have no size; symbols
    ///   outside of them are ignored.
    public init(image: IndexedImage, layout: ImageLayout) {
        self.image = image
        self.layout = layout
        // The name of functions that have none is number 0, and the first one in order.
        _ = names.number(of: [UInt8]().span)
    }

    public mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        let kept = utf8.extracting(0..<min(utf8.count, IndexLimits.nameBytes))
        return NameNumber(rawValue: names.number(of: kept))
    }

    public mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: files.number(of: name, folder: folder))
    }

    public mutating func add(_ function: FunctionRecord) {
        guard !function.ranges.isEmpty, hasRoom() else { return }
        if !flattening.flatten(function) { functionsCutFlat += 1 }
        let firstScope = scopes.count
        scopes.append(
            StagedScope(distance: 0, name: number(function.name), file: 0, line: 0, column: 0))
        for (index, call) in flattening.calls.enumerated() {
            scopes.append(scope(function.calls[call], number: index + 1))
        }
        var rows = PositionCursor(count: function.rows.count)
        var boundaries = PositionCursor(count: flattening.boundaries.count)
        for range in function.ranges where !range.isEmpty {
            let firstEntry = entries.count
            stage(range, of: function, rows: &rows, boundaries: &boundaries)
            parts.append(
                CodePart(
                    start: range.lowerBound.rawValue, end: range.upperBound.rawValue,
                    order: function.order, name: number(function.name),
                    firstScope: UInt32(firstScope), firstEntry: UInt32(firstEntry),
                    entryCount: UInt32(entries.count - firstEntry)))
        }
    }

    public mutating func add(_ symbol: SymbolRecord) {
        symbols.append(
            StagedSymbol(
                start: symbol.start.rawValue, end: symbol.end?.rawValue,
                name: number(symbol.name), rank: symbol.rank.rawValue,
                isLabel: symbol.rank == .label))
    }

    public mutating func add(rowsWithoutFunction rows: [LineRow]) {
        guard let first = rows.first, let last = rows.last, first.start < last.start, hasRoom()
        else { return }
        let firstRow = self.rows.count
        for row in rows {
            // Of several rows at one place only the last counts.
            if self.rows.count > firstRow,
                self.rows[self.rows.count - 1].start == row.start.rawValue
            {
                self.rows.removeLast()
            }
            self.rows.append(entry(at: row.start.rawValue, scope: 0, row.position))
        }
        sequences.append(
            RowSequence(
                start: first.start.rawValue, end: last.start.rawValue,
                firstRow: UInt32(firstRow), rowCount: UInt32(self.rows.count - firstRow)))
    }

    public mutating func add(functionStart: ImageOffset) {
        functionStarts.append(functionStart.rawValue)
    }

    /// Merges rows and boundaries, both ascending, into the entries of one range.
    private mutating func stage(
        _ range: Range<ImageOffset>, of function: borrowing FunctionRecord,
        rows: inout PositionCursor, boundaries: inout PositionCursor
    ) {
        let firstEntry = entries.count
        let end = range.upperBound.rawValue
        var place = range.lowerBound.rawValue
        while place < end {
            let nextRow = rows.advance(to: place) { function.rows[$0].start.rawValue }
            let nextBoundary = boundaries.advance(to: place) { flattening.boundaries[$0].start }
            let scope = boundaries.current.map { flattening.boundaries[$0].scope } ?? 0
            let position = rows.current.map { function.rows[$0].position } ?? .none
            let next = entry(at: place, scope: scope, position)
            if entries.count == firstEntry || !entries[entries.count - 1].saysTheSame(as: next) {
                entries.append(next)
            }
            place = min(nextRow, nextBoundary)
        }
    }

    private func scope(_ call: InlinedCall, number: Int) -> StagedScope {
        let site = entry(at: 0, scope: 0, call.site)
        return StagedScope(
            distance: UInt32(number - flattening.parents[number]), name: self.number(call.name),
            file: site.file, line: site.line, column: site.column)
    }

    private func entry(at start: UInt64, scope: UInt32, _ position: SourcePosition) -> StagedEntry {
        var file: UInt32 = 0
        if let number = position.file?.rawValue, number < files.entries.count { file = number + 1 }
        return StagedEntry(
            start: start, scope: scope, file: file, line: position.line, column: position.column)
    }

    private func number(_ name: NameNumber?) -> UInt32 {
        guard let number = name?.rawValue, number < names.count else { return 0 }
        return number
    }

    /// Numbers of staged entries and scopes have 32 bits; far below that, nothing more is taken.
    private mutating func hasRoom() -> Bool {
        if max(entries.count, rows.count, scopes.count) < entryLimit { return true }
        excess = SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
        return false
    }
}

/// Goes through ascending starts together with a place that only grows.
private struct PositionCursor {
    /// The last one that starts at or before the place.
    private(set) var current: Int?
    private var next = 0
    private let count: Int

    init(count: Int) { self.count = count }

    /// Moves to `place`, and says where the next one starts; the greatest number if there is none.
    mutating func advance(to place: UInt64, start: (Int) -> UInt64) -> UInt64 {
        while next < count {
            let nextStart = start(next)
            if nextStart > place { return nextStart }
            current = next
            next += 1
        }
        return .max
    }
}
