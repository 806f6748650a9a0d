/// What the debug information of one image holds, and what of it was lost.
public struct DwarfSummary: Hashable, Sendable {
    /// The compilers that made it, each once, in the order of their first unit.
    public private(set) var producers: [String] = []
    /// The DWARF versions of its units, ascending.
    public private(set) var versions: [UInt16] = []
    /// Units that were read to their end.
    public internal(set) var unitsRead = 0
    /// Units that were read in part or not at all.
    public internal(set) var unitsFailed = 0
    /// Units whose functions and inlined calls are in a `.dwo` file that is not here.
    public internal(set) var splitUnitsMissing = 0
    /// Why units failed: the first ``failuresLimit`` reasons.
    public private(set) var failures: [DwarfError] = []
    /// Why entries were read through libdwarf; `nil` where they were read from the mapped bytes.
    public private(set) var refusal: MappedRefusal?
    /// Whether any function has code.
    public internal(set) var hasFunctions = false
    /// Whether any code has a line.
    public internal(set) var hasLines = false
    /// Whether any call was inlined.
    public internal(set) var hasInlines = false
    /// What a reader of the answers ought to know, each once, in the order of the cases.
    public private(set) var warnings: [DwarfWarning] = []

    public init() {}

    /// The most ``failures`` that are kept.
    public static let failuresLimit = 100
    /// The most ``producers`` that are kept.
    public static let producersLimit = 64

    mutating func add(producer: String) {
        guard producers.count < Self.producersLimit, !producers.contains(producer) else { return }
        producers.append(producer)
    }

    mutating func add(version: UInt16) {
        guard !versions.contains(version) else { return }
        versions.append(version)
        versions.sort()
    }

    func readThroughLibDwarf(_ refusal: MappedRefusal?) -> DwarfSummary {
        var summary = self
        summary.refusal = refusal
        return summary
    }

    mutating func add(failure: DwarfError) {
        unitsFailed += 1
        if failures.count < Self.failuresLimit { failures.append(failure) }
    }

    mutating func add(_ warning: DwarfWarning) {
        guard !warnings.contains(warning) else { return }
        warnings.append(warning)
        warnings.sort()
    }
}

/// Something that makes answers poorer than the sources would allow.
public enum DwarfWarning: String, CaseIterable, Hashable, Comparable, Sendable {
    /// Functions and inlined calls are in `.dwo` files that are not here.
    case splitDwarfMissing = "split-dwarf-missing"
    /// Names are in a supplementary file of `dwz` that is not here.
    case dwzAlternateMissing = "dwz-alternate-missing"
    /// A function lost its inlined calls, for they nest too deep.
    case inlineDepth = "inline-depth"
    /// Sequences of line tables run backwards and were left out.
    case lineSequencesDropped = "line-sequences-dropped"
    /// Units after some point were left out, for the file needs more work than its size explains.
    case workBudget = "work-budget"

    public static func < (left: Self, right: Self) -> Bool {
        left.position < right.position
    }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
