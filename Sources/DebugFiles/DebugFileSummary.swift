/// What a debug file turned out to hold.
public struct DebugFileSummary: Hashable, Sendable {
    /// How well a file answers. Of two files of one identity the better is kept.
    public enum Quality: Int, Comparable, Sendable {
        case nothing, exportedSymbols, symbols, lines, full

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The versions of the DWARF standard that its units follow, ascending.
    public internal(set) var dwarfVersions: [UInt16] = []
    /// The compilers, each once, in the order of their first unit.
    public internal(set) var producers: [String] = []
    /// Why debug information was read through libdwarf, which takes longer; `nil` where it was not.
    public internal(set) var libdwarfReason: String?
    public internal(set) var hasFunctions = false
    public internal(set) var hasLines = false
    public internal(set) var hasInlines = false
    /// The number of symbols in code.
    public internal(set) var symbolCount = 0
    /// Whether the symbol table knows more than what the image exports.
    public internal(set) var hasFullSymbolTable = false
    /// The number of places known to be the start of a function, named or not.
    public internal(set) var functionStartCount = 0
    public internal(set) var unitsRead = 0
    public internal(set) var unitsFailed = 0
    /// Units whose functions and inlined calls are in a `.dwo` file that is not here.
    public internal(set) var splitUnitsMissing = 0
    /// Why units failed, with their places; not every one if there are many.
    public internal(set) var unitFailures: [String] = []
    /// What headers and contents gave reason to say, each once.
    public private(set) var warnings: [DebugFileWarning] = []

    init(warnings: [DebugFileWarning]) {
        for warning in warnings { warn(warning) }
    }

    public var hasSymbols: Bool { symbolCount > 0 }

    /// Inlined calls are not asked for: a build without optimisation has none and is complete.
    public var quality: Quality {
        let isSkeleton = warnings.contains { $0.code == .splitDwarfMissing }
        if hasFunctions, hasLines, !isSkeleton { return .full }
        if hasFunctions || hasLines { return .lines }
        if hasSymbols { return hasFullSymbolTable ? .symbols : .exportedSymbols }
        return .nothing
    }

    mutating func warn(_ warning: DebugFileWarning) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }
}
