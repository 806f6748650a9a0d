/// A summary of an image's debug information, and of the parts that could not be read.
public struct DwarfSummary: Hashable, Sendable {
    /// The compilers, each once, in the order of their first unit.
    public private(set) var producers: [String] = []
    /// The DWARF versions of the units, in ascending order.
    public private(set) var versions: [UInt16] = []
    /// The number of units read completely.
    public internal(set) var unitsRead = 0
    /// The number of units read partly or not at all.
    public internal(set) var unitsFailed = 0
    /// The number of units whose functions and inlined calls are in a missing `.dwo` file.
    public internal(set) var splitUnitsMissing = 0
    /// Why units failed: the first ``failuresLimit`` reasons.
    public private(set) var failures: [DwarfError] = []
    /// Why entries were read with libdwarf, or `nil` if they were read from the mapped bytes.
    public private(set) var refusal: MappedRefusal?
    /// Whether any function has code.
    public internal(set) var hasFunctions = false
    /// Whether any code has a line.
    public internal(set) var hasLines = false
    /// Whether any call was inlined.
    public internal(set) var hasInlines = false
    /// The warnings for users, each once, in the order of the cases.
    public private(set) var warnings: [DwarfWarning] = []

    public init() {}

    /// The maximum number of ``failures``.
    public static let failuresLimit = 100
    /// The maximum number of ``producers``.
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

/// A fact that makes results less complete than they could be.
public enum DwarfWarning: String, CaseIterable, Hashable, Comparable, Sendable {
    /// Functions and inlined calls are in missing `.dwo` files.
    case splitDwarfMissing = "split-dwarf-missing"
    /// Names are in a missing supplementary file of `dwz`.
    case dwzAlternateMissing = "dwz-alternate-missing"
    /// The inlined calls of a function were dropped because they nest too deep.
    case inlineDepth = "inline-depth"
    /// Sequences of line tables with descending addresses were dropped.
    case lineSequencesDropped = "line-sequences-dropped"
    /// Units were skipped, because the file needs more work than its size explains.
    case workBudget = "work-budget"

    public static func < (left: Self, right: Self) -> Bool {
        left.position < right.position
    }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
