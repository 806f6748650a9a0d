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
    /// The names that a bitcode build hid.
    var placeholders = PlaceholderCount()
    /// How many names the map of the build has, if it is at hand.
    private var symbolMapCount: Int?
    private var otherWarnings: [DebugFileWarning] = []

    init(warnings: [DebugFileWarning]) {
        for warning in warnings { warn(warning) }
    }

    /// What headers and contents gave reason to say, each once.
    public var warnings: [DebugFileWarning] {
        otherWarnings + [hiddenSymbols].compactMap(\.self)
    }

    public var hasSymbols: Bool { symbolCount > 0 }

    /// Inlined calls are not asked for: a build without optimisation has none and is complete. A file
    /// some of whose units were not read is not.
    public var quality: Quality {
        let lacksParts = warnings.contains { [.splitDwarfMissing, .truncated].contains($0.code) }
        if hasFunctions, hasLines, unitsFailed == 0, !lacksParts { return .full }
        if hasFunctions || hasLines { return .lines }
        if hasSymbols { return hasFullSymbolTable ? .symbols : .exportedSymbols }
        return .nothing
    }

    mutating func warn(_ warning: DebugFileWarning) {
        if !otherWarnings.contains(warning) { otherWarnings.append(warning) }
    }

    /// The same of a file whose hidden names `map` has.
    public func named(by map: BitcodeSymbolMap) -> DebugFileSummary {
        var summary = self
        summary.symbolMapCount = map.count
        return summary
    }

    /// How many names a bitcode build hid, whether they are known or not.
    public var hiddenNameCount: Int { placeholders.count }

    private var hiddenSymbols: DebugFileWarning? {
        guard placeholders.count > 0 else { return nil }
        let count = placeholders.count == 1 ? "1 name is" : "\(placeholders.count) names are"
        guard let symbolMapCount else {
            return DebugFileWarning(
                .hiddenSymbols,
                "\(count) hidden by a bitcode build: download its dSYMs with their BCSymbolMaps, or"
                    + " give the BCSymbolMaps folder of its archive")
        }
        guard placeholders.highest >= symbolMapCount else { return nil }
        return DebugFileWarning(
            .hiddenSymbols,
            "its BCSymbolMap has \(symbolMapCount) names, and name \(placeholders.highest) is wanted:"
                + " give that of the same build")
    }
}
