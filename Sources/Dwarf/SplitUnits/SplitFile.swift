import ByteReading

/// A file of split units (DWARF 5, 3.1.3): a `.dwo` file, or a package of many (`.dwp`).
public struct SplitFile: Sendable {
    private enum Form: Sendable {
        case package(PackageIndex, DwarfSections)
        /// A `.dwo` file, with the numbers of the units in the scan by their ids.
        case object(UnitScan, [UInt64: Int], SectionsMaker)
    }

    /// A closure that loads the sections of a file on each call.
    public typealias SectionsMaker = @Sendable () -> DwarfSections

    private let form: Form
    /// The total size of its sections, in bytes.
    let byteCount: UInt64

    /// - Parameter sections: Loads the sections. It is called again when the unit of a `.dwo` file
    ///   is read, because the decompressed sections of thousands of files do not fit into memory.
    /// - Throws: ``DwarfError`` if the file contains no unit.
    public init(_ sections: @escaping SectionsMaker) throws(DwarfError) {
        let found = sections()
        byteCount = found.byteCount
        if let bytes = found[.packageIndex] {
            let index = try DwarfError.placing(unit: nil) { () throws(ReadingError) in
                try PackageIndex(bytes, isBigEndian: found.isBigEndian)
            }
            form = .package(index, found)
            return
        }
        let scan = try UnitScan(found.bytes(.info), bigEndian: found.isBigEndian)
        let units = try Self.units(of: scan, in: found)
        // A file with one unit is opened again when the unit is read; a file with many units stays
        // open.
        let kept: SectionsMaker = { found }
        form = .object(scan, units, units.count > 1 ? kept : sections)
    }

    private static func units(
        of scan: UnitScan, in sections: DwarfSections
    ) throws(DwarfError) -> [UInt64: Int] {
        sections.isBigEndian
            ? try units(of: scan, in: sections, through: LibDwarfSource.self)
            : try units(of: scan, in: sections, through: MappedSource.self)
    }

    /// Returns the numbers of the units by their ids. An unreadable unit does not affect the others.
    ///
    /// All units share a source and a budget, because all of them may use the same abbreviations.
    private static func units<Source: EntrySource>(
        of scan: UnitScan, in sections: DwarfSections, through: Source.Type
    ) throws(DwarfError) -> [UInt64: Int] {
        let unnamed = scan.units.filter { !$0.isTypeUnit && $0.splitID == nil }
        let budget = WorkBudget(from: WorkPool(size: sections.byteCount))
        var source = try Source(sections, units: unnamed, budget: budget)
        var units: [UInt64: Int] = [:]
        var fault: DwarfError?
        for (number, unit) in scan.units.enumerated() where !unit.isTypeUnit {
            do throws(DwarfError) {
                let id = try id(of: unit, from: &source)
                if let id, units[id] == nil { units[id] = number }
            } catch {
                if error.reason == .workBudget { throw error }
                fault = fault ?? error
            }
        }
        if units.isEmpty, let fault { throw fault }
        return units
    }

    /// Returns the id of a unit, which is in its own entry before version 5.
    private static func id(
        of unit: UnitHeader, from source: inout some EntrySource
    ) throws(DwarfError) -> UInt64? {
        if let id = unit.splitID { return id }
        let entries = try source.open(unit)
        var values = EntryValues()
        try entries.read(entryAt: entries.root, into: &values)
        return values.unsigned(.otherFileID)
    }

    /// The ids of the units of a `.dwo` file, or `nil` for a package, which is searched by id.
    var objectIDs: [UInt64]? {
        if case .object(_, let units, _) = form { Array(units.keys) } else { nil }
    }

    /// Whether the file contains the referenced unit.
    public func contains(_ reference: SplitReference) -> Bool {
        switch form {
        case .package(let index, _): (try? index.parts(of: reference.id)) != nil
        case .object(_, let units, _): units[reference.id] != nil
        }
    }

    /// Returns the unit with an id, or `nil` if the file does not contain it.
    ///
    /// - Parameter budget: The budget for the bytes that are read to find it.
    func unit(_ id: UInt64, budget: WorkBudget) throws(DwarfError) -> SplitUnit? {
        switch form {
        case .package(let index, let sections):
            return try SplitUnit(id, of: index, sections, budget: budget)
        case .object(let scan, let units, let makeSections):
            guard let number = units[id] else { return nil }
            try budget.spend(units.count > 1 ? scan.units[number].size : byteCount)
            return SplitUnit(sections: makeSections(), scan: scan, number: number)
        }
    }
}
