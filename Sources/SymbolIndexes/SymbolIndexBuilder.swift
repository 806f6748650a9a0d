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
    /// The bytes of the parts: first of its own, then those of builders that were merged into it.
    var pools = [StagedPool()]
    /// How many entries and calls there are in the parts.
    var entryCount = 0
    var callCount = 0
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
    var staging = PartStaging()

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
        let known = known
        let name = known.name(function.name)
        if !staging.begin(function) { functionsCutFlat += 1 }
        for range in function.ranges {
            let range = range.lowerBound.rawValue..<range.upperBound.rawValue
            if range.isEmpty { continue }
            guard
                let content = staging.part(
                    range, of: function, known: known, callLimit: callLimit - callCount,
                    into: &pools[0].bytes)
            else {
                excess = SymbolIndexError(.tooLarge(what: "scopes", limit: UInt64(scopeLimit)))
                return
            }
            entryCount += Int(content.entryCount)
            callCount += Int(content.callCount)
            parts.append(
                CodePart(
                    start: range.lowerBound, end: range.upperBound, order: function.order,
                    name: name, content: content))
        }
    }

    public mutating func add(_ symbol: SymbolRecord) {
        symbols.append(
            StagedSymbol(
                start: symbol.start.rawValue, end: symbol.end?.rawValue,
                name: known.name(symbol.name), rank: symbol.rank.rawValue,
                isLabel: symbol.rank == .label))
    }

    public mutating func add(rowsWithoutFunction rows: [LineRow]) {
        guard let first = rows.first, let last = rows.last, first.start < last.start, hasRoom()
        else { return }
        let known = known
        let firstRow = self.rows.count
        for row in rows {
            // Of several rows at one place only the last counts.
            if self.rows.count > firstRow,
                self.rows[self.rows.count - 1].start == row.start.rawValue
            {
                self.rows.removeLast()
            }
            let position = row.position
            self.rows.append(
                StagedEntry(
                    start: row.start.rawValue, scope: 0, file: known.file(position.file),
                    line: position.line, column: position.column))
        }
        sequences.append(
            RowSequence(
                start: first.start.rawValue, end: last.start.rawValue,
                firstRow: UInt32(firstRow), rowCount: UInt32(self.rows.count - firstRow)))
    }

    public mutating func add(functionStart: ImageOffset) {
        functionStarts.append(functionStart.rawValue)
    }

    private var known: KnownNumbers {
        KnownNumbers(nameCount: names.count, fileCount: files.entries.count)
    }

    /// More calls than an index can have scopes, since code that several units have is staged with
    /// each of them.
    var callLimit: Int { 4 * scopeLimit }

    /// Numbers of staged rows and of parts have 32 bits; far below that, nothing more is taken.
    private mutating func hasRoom() -> Bool {
        if max(entryCount, rows.count, parts.count) < entryLimit { return true }
        excess = SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
        return false
    }
}
