/// The notes of a worker about its units. Notes of several workers are merged in the order of the
/// units, so that the result does not depend on the number of workers.
struct UnitNotes: Sendable {
    fileprivate struct Note<Value: Sendable>: Sendable {
        let unit: Int
        let value: Value
    }

    fileprivate var producers: [Note<String>] = []
    fileprivate var failures: [Note<DwarfError>] = []
    private(set) var failureCount = 0
    private(set) var versions: Set<UInt16> = []
    private(set) var warnings: Set<DwarfWarning> = []
    var unitsRead = 0
    /// The number of units whose functions are in a missing file.
    var splitUnitsMissing = 0
    var hasFunctions = false
    var hasLines = false
    var hasInlines = false

    /// Whether reading stopped because the work budget was exhausted.
    var isExhausted: Bool { warnings.contains(.workBudget) }

    /// Call this in ascending order of units.
    mutating func add(producer: String, of unit: Int) {
        guard producers.count < DwarfSummary.producersLimit,
            !producers.contains(where: { $0.value == producer })
        else { return }
        producers.append(Note(unit: unit, value: producer))
    }

    /// Call this in ascending order of units.
    mutating func add(failure: DwarfError, of unit: Int) {
        failureCount += 1
        if failures.count < DwarfSummary.failuresLimit {
            failures.append(Note(unit: unit, value: failure))
        }
    }

    mutating func add(version: UInt16) { versions.insert(version) }

    mutating func add(_ warning: DwarfWarning) { warnings.insert(warning) }
}

extension DwarfSummary {
    /// - Parameter scan: The units with the errors of those whose headers could not be read.
    init(_ notes: [UnitNotes], of scan: UnitScan) {
        self.init()
        for note in notes {
            unitsRead += note.unitsRead
            splitUnitsMissing += note.splitUnitsMissing
            hasFunctions = hasFunctions || note.hasFunctions
            hasLines = hasLines || note.hasLines
            hasInlines = hasInlines || note.hasInlines
            for version in note.versions { add(version: version) }
            for warning in note.warnings { add(warning) }
        }
        for note in notes.flatMap(\.producers).sorted(by: { $0.unit < $1.unit }) {
            add(producer: note.value)
        }
        let failures = notes.flatMap(\.failures).sorted { $0.unit < $1.unit }.map(\.value)
        for failure in scan.failures + failures { add(failure: failure) }
        unitsFailed = scan.failureCount + notes.reduce(0) { $0 + $1.failureCount }
    }
}
