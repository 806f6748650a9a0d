import CallStacks
import SymbolIndexes

/// Looks up offsets in one index. Each name and each file is read once; names are collected and
/// demangled later.
struct IndexLookup {
    let index: SymbolIndex
    /// Whether code without a line gets the nearest one of the same function.
    private let findsNearestLine: Bool
    /// Whether results include the start of an inlined call's code.
    private let findsCallStarts: Bool
    /// Indices of names in the collected names.
    private var names: [IndexedName: Int?] = [:]
    /// Indices of files in the collected files, or `nil` for the compiler-generated one.
    private var files: [IndexedFile: Int?] = [:]
    /// The frames of the last lookup, whose storage is reused.
    private var frames: [NumberedFrame] = []

    init(in index: SymbolIndex, findsNearestLine: Bool = true, findsCallStarts: Bool = false) {
        self.findsCallStarts = findsCallStarts
        self.index = index
        self.findsNearestLine = findsNearestLine
    }

    /// Reserves memory for the lookups of several offsets.
    mutating func reserveCapacity(offsetCount: Int) {
        let count = min(offsetCount, 64)
        names.reserveCapacity(2 * count)
        files.reserveCapacity(count)
        frames.reserveCapacity(8)
    }

    /// - Throws: `SymbolIndexError` if the index is damaged.
    mutating func result(
        at offset: ImageOffset, texts: inout LookupTables, budget: inout LookupBudget
    ) throws(SymbolIndexError) -> OffsetResolution {
        var functions: [ResolvedFunction] = []
        return try find(at: offset, addingTo: &functions, texts: &texts, budget: &budget)
            .resolution(in: functions)
    }

    /// Looks up an offset, and appends its functions to a list.
    mutating func find(
        at offset: ImageOffset, addingTo functions: inout [ResolvedFunction],
        texts: inout LookupTables, budget: inout LookupBudget
    ) throws(SymbolIndexError) -> FoundOffset {
        frames.removeAll(keepingCapacity: true)
        guard let start = try index.walk(at: offset, { frames.append($0) }) else {
            if index.isPastText(offset) {
                return .unresolved(.notFound, isOutsideCode: true)
            }
            return .unresolved(index.lacksDebugInformation ? .noDebugInfo : .notFound)
        }
        let first = functions.count
        let isWhole = budget.allows(inlinedCalls: frames.count - 1)
        for depth in isWhole ? frames.indices : frames.indices.suffix(1) {
            functions.append(
                try function(
                    frames[depth], at: offset, depth: depth, texts: &texts, budget: &budget))
        }
        let count = functions.count - first
        if findsCallStarts, count > 1, budget.allowsCallStarts() {
            for (call, start) in try index.callStarts(at: offset).enumerated() where call < count {
                functions[first + call].callStart = start
            }
        }
        return .functions(first..<functions.count, start: start)
    }

    private mutating func function(
        _ frame: NumberedFrame, at offset: ImageOffset, depth: Int, texts: inout LookupTables,
        budget: inout LookupBudget
    ) throws(SymbolIndexError) -> ResolvedFunction {
        let name = try name(frame.name, into: &texts.names)
        let own = try location(frame, into: &texts.files)
        let isSearched = findsNearestLine && !own.isReal && budget.allowsNearestLine()
        let nearest = isSearched ? try index.nearestLine(at: offset, depth: depth) : nil
        // The nearest line is in a source file, so the function is too, even if this instruction is
        // compiler-generated.
        var location = own
        if let nearest { location = try self.location(nearest, into: &texts.files) }
        var function = ResolvedFunction(
            status: Self.status(isNamed: name != nil, hasLine: location.isReal), name: name,
            file: location.file, line: location.line, column: location.column,
            isApproximate: nearest != nil, isInlined: frame.isInlined,
            isInSourceFile: location.isInSourceFile)
        function.hasCompilerGeneratedFile = !own.isInSourceFile
        return function
    }

    private static func status(isNamed: Bool, hasLine: Bool) -> FrameStatus {
        guard isNamed else { return .notFound }
        return hasLine ? .symbolicated : .symbolOnly
    }

    private mutating func name(
        _ number: IndexedName, into collected: inout LinkageNames
    ) throws(SymbolIndexError) -> Int? {
        if let known = names[number] { return known }
        let name = try collected.number(of: number, in: index)
        names.updateValue(name, forKey: number)
        return name
    }

    private mutating func location(
        _ frame: NumberedFrame, into collected: inout LookupSourceFiles
    ) throws(SymbolIndexError) -> Location {
        guard let indexed = frame.file else {
            return Location(file: nil, line: frame.line, column: frame.column)
        }
        guard let file = try file(indexed, into: &collected) else { return .compilerGenerated }
        return Location(file: file, line: frame.line, column: frame.column)
    }

    private mutating func file(
        _ number: IndexedFile, into collected: inout LookupSourceFiles
    ) throws(SymbolIndexError) -> Int? {
        if let known = files[number] { return known }
        let collectedNumber = try collected.number(of: number, in: index)
        files.updateValue(collectedNumber, forKey: number)
        return collectedNumber
    }
}

/// The source location of a function's code.
private struct Location {
    var file: Int?
    var line: UInt32
    var column: UInt32
    var isInSourceFile = true

    static let compilerGenerated = Self(file: nil, line: 0, column: 0, isInSourceFile: false)

    var isReal: Bool { line > 0 && file != nil }
}
