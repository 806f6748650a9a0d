import CallStacks

/// A sink that forwards all records, and records which offsets functions cover.
struct FunctionCoverage<Base: DebugRecordSink>: DebugRecordSink {
    private(set) var base: Base
    /// The starts of the functions' ranges.
    private(set) var starts: Set<ImageOffset> = []
    /// The offsets in ascending order.
    private let offsets: [ImageOffset]
    /// For each offset, whether a function covers it.
    private var isCovered: [Bool]

    init(of offsets: [ImageOffset], passedTo base: Base) {
        self.base = base
        self.offsets = offsets.sorted()
        isCovered = Array(repeating: false, count: offsets.count)
    }

    var coversAll: Bool { !isCovered.contains(false) }

    mutating func add(_ function: FunctionRecord) {
        for range in function.ranges where !range.isEmpty {
            starts.insert(range.lowerBound)
            for position in range.positions(in: offsets) { isCovered[position] = true }
        }
        base.add(function)
    }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber { base.number(ofName: utf8) }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        base.number(ofFile: name, folder: folder)
    }

    mutating func add(_ symbol: SymbolRecord) { base.add(symbol) }

    mutating func add(rowsWithoutFunction rows: [LineRow]) { base.add(rowsWithoutFunction: rows) }

    mutating func add(functionStart: ImageOffset) { base.add(functionStart: functionStart) }
}
