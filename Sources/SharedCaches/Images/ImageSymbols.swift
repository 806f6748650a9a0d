import ByteReading
import CallStacks
import MachO

/// The code symbols of an image: those that the builder moved out of it, and its own.
///
/// Names are copied only when the symbols are written, so this is small.
struct ImageSymbols {
    /// A symbol with the offset of its name.
    struct Symbol {
        let address: UInt64
        let nameStart: UInt64
        let nameCount: UInt32
        let rank: SymbolRecord.Rank
        let isMoved: Bool
    }

    /// The maximum number of symbols, which is enough for all images of a real cache together.
    static let symbolLimit = 1 << 24

    private(set) var symbols: [Symbol] = []
    /// The number of symbols whose name is outside their string table.
    private var damagedCount = 0
    private(set) var problems: [CacheProblem] = []
    private var ownNames = FileBytes([])
    private var movedNames = FileBytes([])

    /// - Parameters:
    ///   - code: The ranges for which symbols are wanted.
    ///   - moved: Returns the symbols that were moved elsewhere, or `nil` if there are none.
    /// - Throws: `ReadingError` if the image's own symbol table is damaged. If only the moved
    ///   symbols are damaged, the image still has its own.
    init(
        _ machO: MachOImage, code: CodeRanges,
        moved: (MachOHeader) throws(ReadingError) -> MachOSymbols?
    ) throws(ReadingError) {
        do throws(ReadingError) {
            if let moved = try moved(machO.header) {
                movedNames = moved.names
                try add(moved, code, isMoved: true)
            }
        } catch {
            symbols = []
            isComplete = false
            problems.append(CacheProblem(error))
        }
        if let own = try machO.symbols() {
            ownNames = own.names
            try add(own, code, isMoved: false)
        }
        sortAndUnify()
        if damagedCount > 0 {
            isComplete = false
            problems.append(
                CacheProblem(.malformed, "\(damagedCount) symbols have no readable name"))
        }
    }

    /// Whether all symbols of the image are available and have names.
    private(set) var isComplete = true

    private mutating func add(
        _ table: MachOSymbols, _ code: CodeRanges, isMoved: Bool
    ) throws(ReadingError) {
        var excess = 0
        damagedCount += try table.forEach(at: { code.contains($0.rawValue) }) { symbol in
            guard symbols.count < Self.symbolLimit else { return excess += 1 }
            symbols.append(
                Symbol(
                    address: symbol.address.rawValue,
                    nameStart: UInt64(symbol.linkerName.lowerBound),
                    nameCount: UInt32(symbol.linkerName.count), rank: symbol.rank,
                    isMoved: isMoved))
        }
        if excess > 0 {
            isComplete = false
            problems.append(
                CacheProblem(.malformed, "has more than \(Self.symbolLimit) symbols of code"))
        }
    }

    /// Calls `body` with the bytes of a name.
    func withName<Result>(of symbol: Symbol, _ body: (Span<UInt8>) -> Result) -> Result {
        let start = Int(symbol.nameStart)
        return (symbol.isMoved ? movedNames : ownNames)
            .withSpan(of: start..<start + Int(symbol.nameCount)) { body($0) }
    }

    /// Sorts symbols by address, then name. Of duplicates, the one with the best rank is kept.
    private mutating func sortAndUnify() {
        var sorted = symbols
        sorted.sort { isBefore($0, $1) }
        var kept: [Symbol] = []
        kept.reserveCapacity(sorted.count)
        for symbol in sorted {
            if let last = kept.last, last.address == symbol.address, compare(last, symbol) == 0 {
                continue
            }
            kept.append(symbol)
        }
        symbols = kept
    }

    private func isBefore(_ left: Symbol, _ right: Symbol) -> Bool {
        if left.address != right.address { return left.address < right.address }
        let order = compare(left, right)
        return order == 0 ? left.rank < right.rank : order < 0
    }

    /// Compares the names of two symbols byte by byte. The result is negative, 0 or positive.
    private func compare(_ left: Symbol, _ right: Symbol) -> Int {
        withName(of: left) { left in
            withName(of: right) { right in
                for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                    return left[index] < right[index] ? -1 : 1
                }
                return left.count - right.count
            }
        }
    }
}

/// Address ranges that contain code.
struct CodeRanges {
    private let ranges: [Range<UInt64>]

    /// - Parameter sections: The sections; those that exceed the address space are ignored.
    init(_ sections: [MachOSection]) {
        ranges = sections.compactMap { section in
            let start = section.address.rawValue
            let (end, overflows) = start.addingReportingOverflow(section.size)
            return overflows || section.size == 0 ? nil : start..<end
        }
    }

    func contains(_ address: UInt64) -> Bool {
        // Images have only a handful of ranges.
        for range in ranges where range.contains(address) { return true }
        return false
    }
}
