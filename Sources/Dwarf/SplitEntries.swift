import ByteReading

/// The entries that were split off from a unit of an image, opened.
final class SplitEntries<Source: EntrySource> {
    let unit: OpenUnit<Source.Unit>
    /// Names that its entries refer to, which are in the same file.
    var names: FunctionNames<Source>
    /// What its entries come behind, in the order of the debug information.
    let order: UInt64

    /// - Parameters:
    ///   - skeleton: The unit that stayed in the image.
    ///   - image: The sections of the image.
    init(
        _ split: SplitUnit, from skeleton: OpenUnit<Source.Unit>, in image: DwarfSections,
        budget: WorkBudget
    ) throws(DwarfError) {
        try budget.spend(split.cost)
        var sections = split.sections
        sections.share(sectionsOf: image)
        let source = try Source(sections, units: split.scan.units, budget: budget)
        let units = OpenUnits(
            sections, scan: split.scan, source: source, skeleton: skeleton.attributes)
        unit = try units.unit(split.number)
        guard unit.attributes.splitID == skeleton.attributes.splitID,
            unit.header.addressSize == skeleton.header.addressSize,
            sections.isBigEndian == image.isBigEndian
        else {
            throw DwarfError(
                .malformed("id, size of addresses or byte order is not the skeleton's"),
                unit: unit.header.offset)
        }
        names = FunctionNames(units, budget: budget)
        order = skeleton.header.offset &<< 32
    }

    /// Gives back the memory of what was read.
    func release() {
        unit.sections.bytes(.info).release(Int(unit.header.offset)..<Int(unit.header.end))
    }
}

extension DwarfError {
    /// The same as a fault of the unit that `unit` was split off from. That a file takes too long is
    /// no fault of one unit.
    func ofSplitUnit(from skeleton: UnitHeader) -> DwarfError {
        reason == .workBudget ? self : DwarfError(.inSplitUnit(self), unit: skeleton.offset)
    }
}
