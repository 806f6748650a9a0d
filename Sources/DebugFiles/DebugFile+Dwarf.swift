import ByteReading
import Decompression
public import Dwarf

extension DebugFile {
    /// The maximum total size of a file's sections after decompression.
    public static let inflatedBytesLimit: UInt64 = 1 << 33

    /// The intact sections of debug information, inflated, or `nil` if the file has none. Inflates
    /// them each time.
    public var dwarfSections: DwarfSections? {
        hasDebugInformation ? inflatedSections().sections : nil
    }

    /// Returns the readable sections, and the errors of the others.
    ///
    /// - Parameters:
    ///   - isSplit: Whether to read the sections of split units.
    ///   - isWanted: Selects the sections to read.
    func inflatedSections(
        isSplit: Bool = false, where isWanted: (DwarfSections.Name) -> Bool = { _ in true }
    ) -> InflatedSections {
        var sections = emptySections(isSplit: isSplit)
        for section in debugSections(&sections) where isWanted(section.name) {
            sections.add(section.inflated)
        }
        return sections
    }

    /// Returns the readable sections, inflated concurrently, and the errors of the others.
    func inflatedSectionsConcurrently() async -> InflatedSections {
        var sections = emptySections(isSplit: false)
        let compressed = debugSections(&sections)
        if compressed.isEmpty { return sections }
        return await withTaskGroup(of: InflatedSections.Section.self) { group in
            for section in compressed { group.addTask { section.inflated } }
            return await group.reduce(into: sections) { $0.add($1) }
        }
    }

    private func emptySections(isSplit: Bool) -> InflatedSections {
        InflatedSections(
            DwarfSections(
                isBigEndian: container.isBigEndian, addressSize: container.addressSize,
                isSplit: isSplit))
    }

    /// Adds the plain sections; returns the compressed ones, each with its share of the limit.
    private func debugSections(_ sections: inout InflatedSections) -> [CompressedSection] {
        var compressed: [CompressedSection] = []
        var budget = Self.inflatedBytesLimit
        for name in sections.sections.names {
            do throws(ReadingError) {
                let fullName = name.inFile(isSplit: sections.sections.isSplit)
                switch try container.debugSection(fullName) {
                case nil: break
                case .plain(let bytes): sections.add((name, .success(bytes)))
                case .compressed(let bytes):
                    compressed.append(CompressedSection(name: name, bytes: bytes, limit: budget))
                    budget -= min(budget, bytes.inflatedCount)
                }
            } catch { sections.add((name, .failure(error))) }
        }
        return compressed
    }
}

/// The readable sections of debug information, and the errors of the others.
struct InflatedSections: Sendable {
    typealias Section = (name: DwarfSections.Name, bytes: Result<FileBytes, ReadingError>)

    private(set) var sections: DwarfSections
    private(set) var errors: [ReadingError] = []

    init(_ sections: DwarfSections) { self.sections = sections }

    mutating func add(_ section: Section) {
        switch section.bytes {
        case .success(let bytes): sections[section.name] = bytes
        case .failure(let error):
            errors.append(error)
            errors.sort { $0.subject < $1.subject }
        }
    }
}

/// A section to inflate.
private struct CompressedSection: Sendable {
    let name: DwarfSections.Name
    let bytes: CompressedSectionBytes
    /// The maximum size after inflating.
    let limit: UInt64

    var inflated: InflatedSections.Section {
        (
            name,
            Result { () throws(ReadingError) in
                let inflated = try bytes.inflated(limit: limit)
                bytes.stream.release(0..<bytes.stream.count)
                return inflated
            }
        )
    }
}

extension DebugFileSummary {
    /// - Parameter isLinked: Whether the file is linked. Missing split units of an object file are
    ///   not reported.
    mutating func add(_ dwarf: DwarfSummary, isLinked: Bool) {
        dwarfVersions = dwarf.versions
        producers = dwarf.producers
        libdwarfReason = dwarf.refusal?.description
        hasFunctions = dwarf.hasFunctions
        hasLines = dwarf.hasLines
        hasInlines = dwarf.hasInlines
        unitsRead = dwarf.unitsRead
        unitsFailed = dwarf.unitsFailed
        unitFailures = dwarf.failures.map(\.description)
        splitUnitsMissing = dwarf.splitUnitsMissing
        for warning in dwarf.warnings where isLinked || warning != .splitDwarfMissing {
            add(warning)
        }
        if let first = unitFailures.first {
            let count = "\(unitsFailed) of \(unitsRead + unitsFailed) units were not read"
            warn(DebugFileWarning(.malformed, "\(count): \(first)"))
        }
    }

    private mutating func add(_ warning: DwarfWarning) {
        switch warning {
        case .splitDwarfMissing: warn(missingSplitUnits)
        case .dwzAlternateMissing:
            // The container has already warned, with the file's name.
            guard !warnings.contains(where: { $0.code == .dwzAlternateMissing }) else { return }
            warn(DebugFileWarning(.dwzAlternateMissing, "names are in a supplementary file"))
        case .inlineDepth:
            warn(DebugFileWarning(.malformed, "inlined calls nested too deeply were dropped"))
        case .lineSequencesDropped:
            warn(DebugFileWarning(.malformed, "line rows with descending addresses were dropped"))
        case .workBudget:
            warn(DebugFileWarning(.malformed, "takes more work to read than its size justifies"))
        }
    }

    private var missingSplitUnits: DebugFileWarning {
        let count = "\(splitUnitsMissing) of \(unitsRead + unitsFailed) units"
        return DebugFileWarning(
            .splitDwarfMissing,
            "functions and inlined calls of \(count) are in .dwo files: add them or the .dwp")
    }
}
