import ByteReading
public import Dwarf

extension DebugFile {
    /// The most bytes that the sections of one file may inflate to, taken together.
    public static let inflatedBytesLimit: UInt64 = 1 << 33

    /// The sections of debug information, inflated; `nil` if the file has none.
    ///
    /// Sections that are damaged are left out. Costs the time and memory of inflating.
    public var dwarfSections: DwarfSections? {
        hasDebugInformation ? inflatedSections().sections : nil
    }

    /// The sections that can be had, and why others can't.
    func inflatedSections() -> (sections: DwarfSections, errors: [ReadingError]) {
        var sections = DwarfSections(
            isBigEndian: container.isBigEndian, addressSize: container.addressSize)
        var errors: [ReadingError] = []
        var budget = Self.inflatedBytesLimit
        for name in DwarfSections.Name.allCases {
            do {
                sections[name] = try container.debugSection(name)?.bytes(budget: &budget)
            } catch { errors.append(error) }
        }
        return (sections, errors)
    }
}

extension DebugFileSummary {
    mutating func add(_ dwarf: DwarfSummary) {
        dwarfVersions = dwarf.versions
        producers = dwarf.producers
        libdwarfReason = dwarf.refusal?.description
        hasFunctions = dwarf.hasFunctions
        hasLines = dwarf.hasLines
        hasInlines = dwarf.hasInlines
        unitsRead = dwarf.unitsRead
        unitsFailed = dwarf.unitsFailed
        unitFailures = dwarf.failures.map(\.description)
        for warning in dwarf.warnings { add(warning) }
        if let first = unitFailures.first {
            let count = "\(unitsFailed) of \(unitsRead + unitsFailed) units were not read"
            warn(DebugFileWarning(.malformed, "\(count): \(first)"))
        }
    }

    private mutating func add(_ warning: DwarfWarning) {
        switch warning {
        case .splitDwarfMissing:
            warn(
                DebugFileWarning(
                    .splitDwarfMissing,
                    "functions and inlined calls are in .dwo files: give them or the .dwp"))
        case .dwzAlternateMissing:
            // The container has said so, and which file it is.
            guard !warnings.contains(where: { $0.code == .dwzAlternateMissing }) else { return }
            warn(DebugFileWarning(.dwzAlternateMissing, "names are in a supplementary file"))
        case .inlineDepth:
            warn(DebugFileWarning(.malformed, "calls inlined too deep were left out"))
        case .lineSequencesDropped:
            warn(DebugFileWarning(.malformed, "rows of lines that run backwards were left out"))
        case .workBudget:
            warn(DebugFileWarning(.malformed, "needs more work than its size explains"))
        }
    }
}
