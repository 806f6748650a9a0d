import ByteReading

/// A file of units that were split off from those of an image (DWARF 5, 3.1.3): a `.dwo` file, or a
/// package of many (`.dwp`).
public struct SplitFile: Sendable {
    private enum Form: Sendable {
        case package(PackageIndex, DwarfSections)
        /// The numbers of the units in the scan, by their ids.
        case object(UnitScan, [UInt64: Int], SectionsMaker)
    }

    /// Makes the sections of a file, each time it is called.
    public typealias SectionsMaker = @Sendable () -> DwarfSections

    private let form: Form
    /// The size of its sections in bytes, together.
    let byteCount: UInt64

    /// - Parameter sections: Is called again when the unit of a `.dwo` file is read: there may be
    ///   thousands of files, and what was inflated of them all does not fit into memory.
    /// - Throws: When no unit can be found in it.
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
        // With one unit a file is opened once, with many it stays open.
        let kept: SectionsMaker = { found }
        form = .object(scan, units, units.count > 1 ? kept : sections)
    }

    private static func units(
        of scan: UnitScan, in sections: DwarfSections
    ) throws(DwarfError) -> [UInt64: Int] {
        var units: [UInt64: Int] = [:]
        for (number, unit) in scan.units.enumerated() where !unit.isTypeUnit {
            guard let id = try Self.id(of: unit, in: sections) else { continue }
            if units[id] == nil { units[id] = number }
        }
        return units
    }

    private static func id(
        of unit: UnitHeader, in sections: DwarfSections
    ) throws(DwarfError) -> UInt64? {
        if let id = unit.splitID { return id }
        if sections.isBigEndian {
            return try idAttribute(of: unit, in: sections, through: LibDwarfSource.self)
        }
        return try idAttribute(of: unit, in: sections, through: MappedSource.self)
    }

    /// The id as units before version 5 have it, in their own entry.
    private static func idAttribute<Source: EntrySource>(
        of unit: UnitHeader, in sections: DwarfSections, through: Source.Type
    ) throws(DwarfError) -> UInt64? {
        let budget = WorkBudget(from: WorkPool(size: sections.byteCount))
        var source = try Source(sections, units: [unit], budget: budget)
        let entries = try source.open(unit)
        var values = EntryValues()
        try entries.read(entryAt: entries.root, into: &values)
        return values.unsigned(.otherFileID)
    }

    /// The ids of the units of a `.dwo` file; `nil` for a package, which is asked for each.
    var objectIDs: [UInt64]? {
        if case .object(_, let units, _) = form { Array(units.keys) } else { nil }
    }

    /// Whether the unit that is referred to is here.
    public func holds(_ reference: SplitReference) -> Bool {
        switch form {
        case .package(let index, _): (try? index.parts(of: reference.id)) != nil
        case .object(_, let units, _): units[reference.id] != nil
        }
    }

    /// The unit with an id; `nil` where the file does not have it.
    func unit(_ id: UInt64) throws(DwarfError) -> SplitUnit? {
        switch form {
        case .package(let index, let sections):
            return try SplitUnit(id, of: index, sections)
        case .object(let scan, let units, let makeSections):
            guard let number = units[id] else { return nil }
            let cost = units.count > 1 ? scan.units[number].size : byteCount
            return SplitUnit(sections: makeSections(), scan: scan, number: number, cost: cost)
        }
    }
}
