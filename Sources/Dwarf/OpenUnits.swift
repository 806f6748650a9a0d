import ByteReading

/// A unit with what its own entry says.
final class OpenUnit<Entries: UnitEntries> {
    let entries: Entries
    let attributes: UnitAttributes
    /// Those that the unit lies in and refers to.
    let sections: DwarfSections

    init(_ entries: Entries, attributes: UnitAttributes, sections: DwarfSections) {
        self.entries = entries
        self.attributes = attributes
        self.sections = sections
    }

    var header: UnitHeader { entries.header }

    /// Whether an entry at `offset` of `.debug_info` would lie in the unit.
    func contains(_ offset: UInt64) -> Bool { offset >= entries.root && offset < header.end }
}

/// The units of a file, opened when they are asked for.
///
/// Names may be in other units than the functions that bear them, so some units stay open.
final class OpenUnits<Source: EntrySource> {
    let scan: UnitScan
    private let sections: DwarfSections
    /// What the unit says that these were split off from; `nil` for units of the image itself.
    private let skeleton: UnitAttributes?
    private var source: Source
    private var open: [Int: OpenUnit<Source.Unit>] = [:]
    /// The numbers of the units in `open`, the longest open first.
    private var order: [Int] = []

    /// How many units are kept open: more than any unit of real code refers to at once.
    private static var openLimit: Int { 64 }

    init(
        _ sections: DwarfSections, scan: UnitScan, source: Source, skeleton: UnitAttributes? = nil
    ) {
        self.sections = sections
        self.skeleton = skeleton
        self.scan = scan
        self.source = source
    }

    func unit(_ index: Int) throws(DwarfError) -> OpenUnit<Source.Unit> {
        if let unit = open[index] { return unit }
        let entries = try source.open(scan.units[index])
        let unit = OpenUnit(
            entries,
            attributes: try UnitAttributes(of: entries, sections: sections, skeleton: skeleton),
            sections: sections)
        if order.count >= Self.openLimit { open[order.removeFirst()] = nil }
        open[index] = unit
        order.append(index)
        return unit
    }

    /// The unit in which the entry at `offset` of `.debug_info` lies.
    func unit(containing offset: UInt64) throws(DwarfError) -> OpenUnit<Source.Unit>? {
        guard let index = scan.unit(containing: offset) else { return nil }
        return try unit(index)
    }
}
