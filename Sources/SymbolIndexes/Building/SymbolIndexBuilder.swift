public import CallStacks

/// Builds an index from the records of a debug file, in any order.
///
/// It stores numbers in flat arrays and every name once, so its memory is proportional to the size
/// of the index and not of the debug file. The bytes depend only on the set of records, neither on
/// their order nor on their distribution over merged builders.
///
/// Two records for the same code must differ in ``FunctionRecord/order``.
public struct SymbolIndexBuilder: DebugRecordSink, Sendable {
    var image: IndexedImage
    /// The executable sections, which bound symbols without a size.
    var layout: ImageLayout
    var names = ByteInterner()
    var files = SourceFileTable()
    var parts: [CodePart] = []
    /// The bytes of the parts: first its own, then those of merged builders.
    var pools = [StagedPool()]
    /// The numbers of entries and calls in the parts.
    var entryCount = 0
    var callCount = 0
    var symbols: [StagedSymbol] = []
    var sequences: [RowSequence] = []
    /// The rows of ``sequences``; their scope is unused.
    var rows: [StagedEntry] = []
    var functionStarts: [UInt64] = []
    /// The number of functions stored without their inlined calls, because these nest too deep.
    var functionsCutFlat = 0
    var entryLimit = IndexLimits.entries
    var scopeLimit = IndexLimits.scopes
    /// The exceeded limit, or `nil` if there is none.
    var excess: SymbolIndexError?
    var staging = PartEncoder()

    /// - Parameter layout: The layout, whose executable sections bound symbols without a size;
    ///   symbols outside them are ignored.
    public init(image: IndexedImage, layout: ImageLayout) {
        self.image = image
        self.layout = layout
        // The empty name, for functions without one, is number 0 and the first in order.
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
        guard !function.ranges.isEmpty, hasCapacity() else { return }
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
        guard let first = rows.first, let last = rows.last, first.start < last.start, hasCapacity()
        else { return }
        let known = known
        let firstRow = self.rows.count
        for row in rows {
            // Of several rows at one address, only the last counts.
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

    /// The maximum number of staged calls. It is higher than the limit of scopes, because code in
    /// several units is staged with each of them.
    var callLimit: Int { 4 * scopeLimit }

    /// Whether more records can be added. Numbers of staged rows and parts have 32 bits, and the
    /// limit is far below that.
    private mutating func hasCapacity() -> Bool {
        if max(entryCount, rows.count, parts.count) < entryLimit { return true }
        excess = SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
        return false
    }
}
