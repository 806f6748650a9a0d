import CallStacks

/// The names of all functions that cover an offset, collected from records without an index.
///
/// Folded code, and copies of a function in several units, are covered by several, each of them
/// right.
struct CoveringFunctions: DebugRecordSink {
    /// The offsets, ascending.
    private let places: [ImageOffset]
    private var names: [String] = []
    private var answers: [ImageOffset: Set<String>] = [:]

    init(at places: some Sequence<ImageOffset>) { self.places = places.sorted() }

    /// Returns the names of all functions that cover an offset.
    func names(at place: ImageOffset) -> Set<String> { answers[place] ?? [] }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names.append(String(utf8))
        return NameNumber(rawValue: UInt32(names.count - 1))
    }

    func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    mutating func add(_ function: FunctionRecord) {
        guard let number = function.name,
            let name = names.dropFirst(Int(number.rawValue)).first
        else { return }
        for range in function.ranges {
            let covered = firstPlace(at: range.lowerBound)..<firstPlace(at: range.upperBound)
            for place in places[covered] {
                answers[place, default: []].insert(name)
            }
        }
    }

    func add(_ symbol: SymbolRecord) {}
    func add(rowsWithoutFunction rows: [LineRow]) {}
    func add(functionStart: ImageOffset) {}

    /// Returns the index of the first offset at or after `start`.
    private func firstPlace(at start: ImageOffset) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
