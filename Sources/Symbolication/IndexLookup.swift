import CallStacks
import SymbolIndexes

/// Asks one index for many offsets. Each name and each file is read once; names are collected, to be
/// demangled later.
struct IndexLookup {
    private let index: SymbolIndex
    /// Whether code without a line gets the nearest one of the same function.
    private let fillsGaps: Bool
    /// Numbers among the collected names.
    private var names: [IndexedName: Int?] = [:]
    private var files: [IndexedFile: SourceFile] = [:]

    init(in index: SymbolIndex, fillsGaps: Bool = true) {
        self.index = index
        self.fillsGaps = fillsGaps
    }

    /// - Throws: If the index is damaged.
    mutating func answer(
        at offset: ImageOffset, _ collected: inout LinkageNames, _ budget: inout LookupBudget
    ) throws(SymbolIndexError) -> OffsetAnswer {
        var frames: [NumberedFrame] = []
        guard let start = try index.walk(at: offset, { frames.append($0) }) else {
            if offset >= index.codeLimit { return .unresolved(.notFound, isOutsideCode: true) }
            return .unresolved(index.isSymbolTableOnly ? .noDebugInfo : .notFound)
        }
        var functions: [AnsweredFunction] = []
        functions.reserveCapacity(frames.count)
        let isWhole = budget.allows(inlinedCalls: frames.count - 1)
        for depth in isWhole ? frames.indices : frames.indices.suffix(1) {
            let name = try name(frames[depth].name, &collected)
            functions.append(try function(frames[depth], name, at: offset, depth: depth, &budget))
        }
        return .functions(functions, start: start)
    }

    private mutating func function(
        _ frame: NumberedFrame, _ name: Int?, at offset: ImageOffset, depth: Int,
        _ budget: inout LookupBudget
    ) throws(SymbolIndexError) -> AnsweredFunction {
        let own = SourceFrame(
            function: nil, file: try file(frame.file), line: frame.line, column: frame.column,
            isInlined: frame.isInlined)
        let isSearched = fillsGaps && !own.hasRealLine && budget.allowsNearestLine()
        let nearest = isSearched ? try index.nearestLine(at: offset, depth: depth) : nil
        let place = nearest ?? own
        // A function with a real line was written by somebody, even if this instruction was not.
        let isWritten = place.isInWrittenFile
        return AnsweredFunction(
            status: Self.status(isNamed: name != nil, hasLine: place.hasRealLine),
            name: name, file: isWritten ? place.file : nil, line: isWritten ? place.line : 0,
            column: isWritten ? place.column : 0, isApproximate: nearest != nil,
            isInlined: frame.isInlined, isWritten: isWritten)
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

    private mutating func file(_ number: IndexedFile?) throws(SymbolIndexError) -> SourceFile? {
        guard let number else { return nil }
        if let known = files[number] { return known }
        let file = try index.file(number)
        files[number] = file
        return file
    }
}

extension SourceFrame {
    fileprivate var hasRealLine: Bool { line > 0 && file != nil && isInWrittenFile }

    /// Whether its file is one that somebody wrote, or not known.
    fileprivate var isInWrittenFile: Bool { file?.name != SymbolIndex.compilerGeneratedFile }
}
