import CallStacks
import SymbolIndexes

/// Asks one index for many offsets. Each name and each file is read once; names are collected, to be
/// demangled later.
struct IndexLookup {
    let index: SymbolIndex
    /// Whether code without a line gets the nearest one of the same function.
    private let fillsGaps: Bool
    /// Whether inlined calls are answered with the starts of their code.
    private let findsCallStarts: Bool
    /// Numbers among the collected names.
    private var names: [IndexedName: Int?] = [:]
    /// Numbers among the collected files; `nil` for the one that nobody wrote.
    private var files: [IndexedFile: Int?] = [:]
    /// Those of the last answer; its storage is used again.
    private var frames: [NumberedFrame] = []

    init(in index: SymbolIndex, fillsGaps: Bool = true, findsCallStarts: Bool = false) {
        self.findsCallStarts = findsCallStarts
        self.index = index
        self.fillsGaps = fillsGaps
    }

    /// - Throws: If the index is damaged.
    mutating func answer(
        at offset: ImageOffset, _ texts: inout AnswerTexts, _ budget: inout LookupBudget
    ) throws(SymbolIndexError) -> OffsetAnswer {
        frames.removeAll(keepingCapacity: true)
        guard let start = try index.walk(at: offset, { frames.append($0) }) else {
            if offset >= index.codeLimit { return .unresolved(.notFound, isOutsideCode: true) }
            return .unresolved(index.isSymbolTableOnly ? .noDebugInfo : .notFound)
        }
        var functions: [AnsweredFunction] = []
        functions.reserveCapacity(frames.count)
        let isWhole = budget.allows(inlinedCalls: frames.count - 1)
        for depth in isWhole ? frames.indices : frames.indices.suffix(1) {
            functions.append(try function(frames[depth], at: offset, depth: depth, &texts, &budget))
        }
        if findsCallStarts, functions.count > 1, budget.allowsCallStarts() {
            for (call, start) in try index.callStarts(at: offset).enumerated()
            where call < functions.count {
                functions[call].callStart = start
            }
        }
        return .functions(functions, start: start)
    }

    private mutating func function(
        _ frame: NumberedFrame, at offset: ImageOffset, depth: Int, _ texts: inout AnswerTexts,
        _ budget: inout LookupBudget
    ) throws(SymbolIndexError) -> AnsweredFunction {
        let name = try name(frame.name, &texts.names)
        let own = try place(frame, &texts.files)
        let isSearched = fillsGaps && !own.isReal && budget.allowsNearestLine()
        let nearest = isSearched ? try index.nearestLine(at: offset, depth: depth) : nil
        // The nearest line is a real one, so its function was written by somebody, even if this
        // instruction was not.
        let place = nearest.map { Self.place($0, &texts.files) } ?? own
        var function = AnsweredFunction(
            status: Self.status(isNamed: name != nil, hasLine: place.isReal), name: name,
            file: place.file, line: place.line, column: place.column,
            isApproximate: nearest != nil, isInlined: frame.isInlined, isWritten: place.isWritten)
        function.hasUnwrittenFile = !own.isWritten
        return function
    }

    private static func status(isNamed: Bool, hasLine: Bool) -> FrameStatus {
        guard isNamed else { return .notFound }
        return hasLine ? .symbolicated : .symbolOnly
    }

    private mutating func name(
        _ number: IndexedName, _ collected: inout LinkageNames
    ) throws(SymbolIndexError) -> Int? {
        if let known = names[number] { return known }
        let name = try index.name(number).map { collected.number(of: $0) }
        names.updateValue(name, forKey: number)
        return name
    }

    private mutating func place(
        _ frame: NumberedFrame, _ collected: inout SourceFiles
    ) throws(SymbolIndexError) -> Place {
        guard let indexed = frame.file else {
            return Place(file: nil, line: frame.line, column: frame.column)
        }
        guard let file = try file(indexed, &collected) else { return .unwritten }
        return Place(file: file, line: frame.line, column: frame.column)
    }

    private mutating func file(
        _ number: IndexedFile, _ collected: inout SourceFiles
    ) throws(SymbolIndexError) -> Int? {
        if let known = files[number] { return known }
        let file = try index.file(number)
        let isWritten = file.name != SymbolIndex.compilerGeneratedFile
        let collectedNumber = isWritten ? collected.number(of: file) : nil
        files.updateValue(collectedNumber, forKey: number)
        return collectedNumber
    }

    private static func place(_ frame: SourceFrame, _ collected: inout SourceFiles) -> Place {
        Place(
            file: frame.file.map { collected.number(of: $0) }, line: frame.line,
            column: frame.column)
    }
}

/// Where the code of a function was written.
private struct Place {
    var file: Int?
    var line: UInt32
    var column: UInt32
    var isWritten = true

    /// In a file that the compiler made up.
    static let unwritten = Self(file: nil, line: 0, column: 0, isWritten: false)

    var isReal: Bool { line > 0 && file != nil }
}
