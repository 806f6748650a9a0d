import ByteReading

/// A unit with what its own entry says.
struct OpenUnit {
    let entries: LibDwarfUnit
    let attributes: UnitAttributes

    var header: UnitHeader { entries.header }
}

/// The units of a file, opened when they are asked for.
///
/// Names may be in other units than the functions that bear them, so some units stay open.
final class OpenUnits {
    let scan: UnitScan
    private let sections: DwarfSections
    private let abbreviations: AbbreviationTables
    private let budget: WorkBudget
    private var open: [Int: OpenUnit] = [:]
    /// The numbers of the units in `open`, the longest open first.
    private var order: [Int] = []

    /// How many units are kept open: more than any unit of real code refers to at once.
    private static let openLimit = 64

    init(_ sections: DwarfSections, budget: WorkBudget) throws(DwarfError) {
        self.sections = sections
        self.budget = budget
        scan = try UnitScan(sections.bytes(.info), bigEndian: sections.isBigEndian)
        abbreviations = try AbbreviationTables(
            sections.bytes(.abbrev), units: scan.units, budget: budget)
    }

    func unit(_ index: Int) throws(DwarfError) -> OpenUnit {
        if let unit = open[index] { return unit }
        let header = scan.units[index]
        // libdwarf reads the abbreviations again for each unit.
        try budget.spend(try abbreviations.size(for: header))
        let entries = try LibDwarfUnit(
            header, sections: sections, abbreviations: abbreviations.section)
        let unit = OpenUnit(
            entries: entries, attributes: try UnitAttributes(of: entries, sections: sections))
        if order.count >= Self.openLimit { open[order.removeFirst()] = nil }
        open[index] = unit
        order.append(index)
        return unit
    }

    /// The unit in which the entry at `offset` of `.debug_info` lies.
    func unit(containing offset: UInt64) throws(DwarfError) -> OpenUnit? {
        guard let index = scan.unit(containing: offset) else { return nil }
        return try unit(index)
    }
}
