/// A summary of a debug file's contents.
public struct DebugFileSummary: Hashable, Sendable {
    /// The value of a file for lookups. Of two files with the same identity, the better one is
    /// kept.
    public enum Quality: Int, Comparable, Sendable {
        case nothing, exportedSymbols, symbols, lines, full

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The DWARF versions of its units, ascending.
    public internal(set) var dwarfVersions: [UInt16] = []
    /// The distinct compilers, in the order of their first unit.
    public internal(set) var producers: [String] = []
    /// The reason why libdwarf, which is slower, read the debug information, or `nil` if it did
    /// not.
    public internal(set) var libdwarfReason: String?
    public internal(set) var hasFunctions = false
    public internal(set) var hasLines = false
    public internal(set) var hasInlines = false
    /// The number of symbols in code.
    public internal(set) var symbolCount = 0
    /// The number of symbols that were compressed, in `.gnu_debugdata`.
    public internal(set) var packedSymbolCount = 0
    /// Whether the symbol table has more than the image's exports.
    public internal(set) var hasFullSymbolTable = false
    /// Whether the image is an Apple system image, for which there is no debug information.
    public internal(set) var isOfSystem = false
    /// Whether the file is marked as having all symbols of the original image.
    var saysSymbolsAreComplete = false
    /// The number of known function starts, named or not.
    public internal(set) var functionStartCount = 0
    public internal(set) var unitsRead = 0
    public internal(set) var unitsFailed = 0
    /// The number of units whose functions and inlined calls are in a missing `.dwo` file.
    public internal(set) var splitUnitsMissing = 0
    /// The errors of units, with their locations. If there are many, only a selection.
    public internal(set) var unitFailures: [String] = []
    /// The placeholders of a bitcode build.
    var placeholders = PlaceholderCount()
    /// The number of names in the build's symbol map, or `nil` if it is missing.
    private var symbolMapCount: Int?
    private var otherWarnings: [DebugFileWarning] = []

    init(warnings: [DebugFileWarning]) {
        for warning in warnings { warn(warning) }
    }

    /// The distinct warnings about headers and contents. Of a truncated file, everything else that
    /// is missing or ends too early follows from the first such warning.
    public var warnings: [DebugFileWarning] {
        let cause = otherWarnings.firstIndex { $0.code == .truncated }
        let shown = otherWarnings.indices.filter { index in
            cause == nil || index == cause
                || ![.truncated, .malformed].contains(otherWarnings[index].code)
        }
        return shown.map { otherWarnings[$0] } + [hiddenSymbols, missingLocals].compactMap(\.self)
    }

    /// Whether the symbol table contains all available information about a system image.
    public var hasCompleteSymbols: Bool {
        isOfSystem && hasSymbols && (hasFullSymbolTable || saysSymbolsAreComplete)
    }

    private var missingLocals: DebugFileWarning? {
        guard isOfSystem, hasSymbols, !hasCompleteSymbols, !hasFunctions else { return nil }
        return DebugFileWarning(
            .symbolsFileMissing,
            "has exported symbols only: copy the .symbols file of the shared cache as well")
    }

    public var hasSymbols: Bool { symbolCount > 0 }

    /// The quality. Inlined calls are not required: a build without optimisation has none and is
    /// complete. A file with unreadable units is not.
    public var quality: Quality {
        let lacksParts = warnings.contains {
            [.splitDwarfMissing, .dwzAlternateMissing, .truncated].contains($0.code)
        }
        if hasFunctions, hasLines, unitsFailed == 0, !lacksParts { return .full }
        if hasFunctions || hasLines { return .lines }
        if hasSymbols { return hasFullSymbolTable ? .symbols : .exportedSymbols }
        return .nothing
    }

    mutating func warn(_ warning: DebugFileWarning) {
        if !otherWarnings.contains(warning) { otherWarnings.append(warning) }
    }

    /// Returns the summary for a file whose hidden names are resolved by `map`.
    public func named(by map: BitcodeSymbolMap) -> DebugFileSummary {
        var summary = self
        summary.symbolMapCount = map.count
        return summary
    }

    /// The number of names that a bitcode build hid, with or without a map for them.
    public var hiddenNameCount: Int { placeholders.count }

    private var hiddenSymbols: DebugFileWarning? {
        guard placeholders.count > 0 else { return nil }
        let count = placeholders.count == 1 ? "1 name is" : "\(placeholders.count) names are"
        guard let symbolMapCount else {
            return DebugFileWarning(
                .hiddenSymbols,
                "\(count) hidden by a bitcode build: download its dSYMs with their BCSymbolMaps, or"
                    + " pass the BCSymbolMaps folder of its archive")
        }
        guard placeholders.highest >= symbolMapCount else { return nil }
        return DebugFileWarning(
            .hiddenSymbols,
            "its BCSymbolMap has \(symbolMapCount) names but name \(placeholders.highest) is needed:"
                + " use the map of the same build")
    }
}
