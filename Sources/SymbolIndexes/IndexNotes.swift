/// What a person wants to know about an index and no lookup needs.
///
/// Lists are written sorted and without repetitions, so that an index does not depend on the order
/// in which units were read.
public struct IndexNotes: Hashable, Sendable {
    /// How many of ``failures`` and of ``warnings`` are kept.
    public static let listLimit = 256

    /// Compilers, as the units name them (`DW_AT_producer`).
    public var producers: [String]
    public var dwarfVersions: [Int]
    /// How many units were read, and how many could not be.
    public var unitsRead: Int
    public var unitsFailed: Int
    /// Why units could not be read, with their places.
    public var failures: [String]
    public var warnings: [String]
    /// Whether the file had any debug information. It is kept as a flag of the header.
    public var hasDebugInformation: Bool

    public init(
        producers: [String] = [], dwarfVersions: [Int] = [], unitsRead: Int = 0,
        unitsFailed: Int = 0, failures: [String] = [], warnings: [String] = [],
        hasDebugInformation: Bool = true
    ) {
        self.producers = producers
        self.dwarfVersions = dwarfVersions
        self.unitsRead = unitsRead
        self.unitsFailed = unitsFailed
        self.failures = failures
        self.warnings = warnings
        self.hasDebugInformation = hasDebugInformation
    }

    /// The same facts with lists in order, distinct, and no longer than ``listLimit``.
    var inOrder: Self {
        var notes = self
        notes.producers = Self.inOrder(producers)
        notes.dwarfVersions = Array(Set(dwarfVersions).sorted().prefix(Self.listLimit))
        notes.failures = Self.inOrder(failures)
        notes.warnings = Self.inOrder(warnings)
        return notes
    }

    /// By bytes: the order of `String` follows Unicode, whose tables change with the toolchain.
    private static func inOrder(_ texts: [String]) -> [String] {
        let distinct = Set(texts.map { Array($0.utf8) })
        let sorted = distinct.sorted { $0.lexicographicallyPrecedes($1) }
        return sorted.prefix(listLimit).map { String(decoding: $0, as: UTF8.self) }
    }
}
