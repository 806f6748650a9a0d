import ByteReading

/// A unit with the attributes of its own entry.
final class OpenUnit<Entries: UnitEntries> {
    let entries: Entries
    let attributes: UnitAttributes
    /// The sections that contain the unit and those to which it refers.
    let sections: DwarfSections

    init(_ entries: Entries, attributes: UnitAttributes, sections: DwarfSections) {
        self.entries = entries
        self.attributes = attributes
        self.sections = sections
    }

    var header: UnitHeader { entries.header }

    /// Whether `offset` of `.debug_info` is among the unit's entries.
    func contains(_ offset: UInt64) -> Bool { offset >= entries.root && offset < header.end }
}

/// The units of a file, opened on demand.
///
/// Names may be in other units than their functions, so some units stay open.
final class OpenUnits<Source: EntrySource> {
    let scan: UnitScan
    private let sections: DwarfSections
    /// The attributes of the skeleton of these split units, or `nil` for units of the image itself.
    private let skeleton: UnitAttributes?
    private var source: Source
    private let budget: WorkBudget
    private var open: [Int: OpenUnit<Source.Unit>] = [:]
    /// The numbers of the units in `open`, oldest first.
    private var order: [Int] = []

    /// The maximum number of open units. Real units refer to fewer at once.
    private static var openLimit: Int { 64 }

    init(
        _ sections: DwarfSections, scan: UnitScan, source: Source, budget: WorkBudget,
        skeleton: UnitAttributes? = nil
    ) {
        self.sections = sections
        self.skeleton = skeleton
        self.scan = scan
        self.source = source
        self.budget = budget
    }

    func unit(_ index: Int) throws(DwarfError) -> OpenUnit<Source.Unit> {
        if let unit = open[index] { return unit }
        let entries = try source.open(scan.units[index])
        let unit = OpenUnit(
            entries,
            attributes: try UnitAttributes(
                of: entries, sections: sections, budget: budget, skeleton: skeleton),
            sections: sections)
        if order.count >= Self.openLimit { open[order.removeFirst()] = nil }
        open[index] = unit
        order.append(index)
        return unit
    }

    /// Returns the unit that contains the entry at `offset` of `.debug_info`, or `nil` if there is
    /// none.
    func unit(containing offset: UInt64) throws(DwarfError) -> OpenUnit<Source.Unit>? {
        guard let index = scan.unit(containing: offset) else { return nil }
        return try unit(index)
    }
}
