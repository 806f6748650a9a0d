/// Information about an index for people, which lookups do not need.
///
/// Lists are written sorted and without duplicates, so that an index does not depend on the order
/// in which units were read.
public struct IndexNotes: Hashable, Sendable {
    /// The maximum number of ``failures`` and of ``warnings``.
    public static let listLimit = 256

    /// The compilers named in the units (`DW_AT_producer`).
    public var producers: [String]
    public var dwarfVersions: [Int]
    /// The numbers of units that were read, and that could not be read.
    public var unitsRead: Int
    public var unitsFailed: Int
    /// The reasons why units could not be read, with their positions.
    public var failures: [String]
    public var warnings: [String]
    /// Whether the file had any debug information. It is stored as a flag in the header.
    public var hasDebugInformation: Bool
    /// Whether the image is an Apple system image. It is stored as a flag in the header.
    public var isOfSystem: Bool
    /// Whether the file had all symbols of such an image. It is stored as a flag in the header.
    public var hasCompleteSymbols: Bool

    public init(
        producers: [String] = [], dwarfVersions: [Int] = [], unitsRead: Int = 0,
        unitsFailed: Int = 0, failures: [String] = [], warnings: [String] = [],
        hasDebugInformation: Bool = true, isOfSystem: Bool = false, hasCompleteSymbols: Bool = false
    ) {
        self.producers = producers
        self.dwarfVersions = dwarfVersions
        self.unitsRead = unitsRead
        self.unitsFailed = unitsFailed
        self.failures = failures
        self.warnings = warnings
        self.hasDebugInformation = hasDebugInformation
        self.isOfSystem = isOfSystem
        self.hasCompleteSymbols = hasCompleteSymbols
    }

    /// The notes with lists that are sorted, distinct, and no longer than ``listLimit``.
    var inOrder: Self {
        var notes = self
        notes.producers = Self.inOrder(producers)
        notes.dwarfVersions = Array(Set(dwarfVersions).sorted().prefix(Self.listLimit))
        notes.failures = Self.inOrder(failures)
        notes.warnings = Self.inOrder(warnings)
        return notes
    }

    /// Sorts by bytes. The order of `String` follows Unicode, whose tables change with the
    /// toolchain.
    private static func inOrder(_ texts: [String]) -> [String] {
        let distinct = Set(texts.map { Array($0.utf8) })
        let sorted = distinct.sorted { $0.lexicographicallyPrecedes($1) }
        return sorted.prefix(listLimit).map { String(decoding: $0, as: UTF8.self) }
    }
}
