import CallStacks

/// What a debug file's symbol table says about each place.
struct SymbolNames: DebugRecordSink {
    private let layout: ImageLayout
    private var names: [String] = []
    private var places: [ImageOffset: Set<String>] = [:]
    private var functionStarts: Set<ImageOffset> = []

    init(layout: ImageLayout) { self.layout = layout }

    /// Whether a symbol of that name stands in the section of `offset`.
    func isInSection(of name: String, _ offset: ImageOffset) -> Bool {
        guard let section = layout.section(containing: offset) else { return false }
        return places.contains { section.contains($0.key) && $0.value.contains(name) }
    }

    /// The names of all symbols at a place.
    func names(at place: ImageOffset) -> Set<String> { places[place] ?? [] }

    /// Whether the last function that starts at or before `offset` has no symbol.
    func isNameless(_ offset: ImageOffset) -> Bool {
        guard let start = functionStarts.filter({ $0 <= offset }).max() else { return false }
        return !places.keys.contains { start...offset ~= $0 }
    }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names.append(
            String(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self))
        return NameNumber(rawValue: UInt32(names.count - 1))
    }

    mutating func add(_ symbol: SymbolRecord) {
        places[symbol.start, default: []].insert(names[Int(symbol.name.rawValue)])
    }

    func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    func add(_ function: FunctionRecord) {}

    func add(rowsWithoutFunction rows: [LineRow]) {}

    mutating func add(functionStart: ImageOffset) { functionStarts.insert(functionStart) }
}
