import CallStacks

/// A sink that passes all records on, and finds out which offsets functions cover.
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
            var next = position(of: range.lowerBound)
            while next < offsets.count, offsets[next] < range.upperBound {
                isCovered[next] = true
                next += 1
            }
        }
        base.add(function)
    }

    /// Returns the position of the first offset that is not below `start`.
    private func position(of start: ImageOffset) -> Int {
        var low = 0
        var high = offsets.count
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber { base.number(ofName: utf8) }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        base.number(ofFile: name, folder: folder)
    }

    mutating func add(_ symbol: SymbolRecord) { base.add(symbol) }

    mutating func add(rowsWithoutFunction rows: [LineRow]) { base.add(rowsWithoutFunction: rows) }

    mutating func add(functionStart: ImageOffset) { base.add(functionStart: functionStart) }
}
