import CallStacks

/// The information about offsets in a debug file other than lines: symbols, and the ranges of
/// functions.
struct SymbolNames: DebugRecordSink {
    private let layout: ImageLayout
    private var names: [String] = []
    private var places: [ImageOffset: Set<String>] = [:]
    private var namedPlaces: [String: [ImageOffset]] = [:]
    private var labels: [String: [ImageOffset]] = [:]
    private var functionStarts: Set<ImageOffset> = []
    /// The ranges of all functions.
    private(set) var ranges: [Range<ImageOffset>] = []

    init(layout: ImageLayout) { self.layout = layout }

    /// The offsets of symbols.
    var symbolStarts: some Sequence<ImageOffset> { places.keys }

    /// Whether a symbol of that name is in the section of `offset`.
    func isInSection(of name: String, _ offset: ImageOffset) -> Bool {
        guard let section = layout.section(containing: offset) else { return false }
        return namedPlaces[name, default: []].contains { section.contains($0) }
    }

    /// Whether a label of that name, which is not a function, is in `range`.
    func hasLabel(_ name: String, in range: ClosedRange<ImageOffset>) -> Bool {
        labels[name, default: []].contains { range.contains($0) }
    }

    /// Returns the names of all symbols at an offset.
    func names(at place: ImageOffset) -> Set<String> { places[place] ?? [] }

    /// Whether the last function that starts at or before `offset` has no symbol.
    func isNameless(_ offset: ImageOffset) -> Bool {
        guard let start = functionStarts.filter({ $0 <= offset }).max() else { return false }
        return !places.keys.contains { start...offset ~= $0 }
    }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names.append(String(utf8))
        return NameNumber(rawValue: UInt32(names.count - 1))
    }

    mutating func add(_ symbol: SymbolRecord) {
        let name = names.dropFirst(Int(symbol.name.rawValue)).first ?? "?"
        places[symbol.start, default: []].insert(name)
        namedPlaces[name, default: []].append(symbol.start)
        if symbol.rank == .label { labels[name, default: []].append(symbol.start) }
    }

    func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    mutating func add(_ function: FunctionRecord) { ranges += function.ranges }

    func add(rowsWithoutFunction rows: [LineRow]) {}

    mutating func add(functionStart: ImageOffset) { functionStarts.insert(functionStart) }
}
