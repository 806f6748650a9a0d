import ByteReading

/// The opened entries of a split unit.
final class SplitEntries<Source: EntrySource> {
    let unit: OpenUnit<Source.Unit>
    /// The names to which its entries refer, which are in the same file.
    var names: FunctionNameLookup<Source>
    /// The position of its entries in the debug information.
    let order: UInt64

    /// - Parameters:
    ///   - skeleton: The skeleton unit in the image.
    ///   - image: The sections of the image.
    init(
        _ split: SplitUnit, from skeleton: OpenUnit<Source.Unit>, in image: DwarfSections,
        budget: WorkBudget
    ) throws(DwarfError) {
        var sections = split.sections
        sections.share(sectionsOf: image)
        let source = try Source(sections, units: split.scan.units, budget: budget)
        let units = OpenUnits(
            sections, scan: split.scan, source: source, budget: budget,
            skeleton: skeleton.attributes)
        unit = try units.unit(split.number)
        guard unit.attributes.splitID == skeleton.attributes.splitID,
            unit.header.addressSize == skeleton.header.addressSize,
            sections.isBigEndian == image.isBigEndian
        else {
            throw DwarfError(
                .malformed("id, size of addresses or byte order is not the skeleton's"),
                unit: unit.header.offset)
        }
        names = FunctionNameLookup(units, budget: budget)
        order = skeleton.header.offset &<< 32
    }

    /// Releases the memory of the sections read.
    func release() {
        unit.sections.bytes(.info).release(Int(unit.header.offset)..<Int(unit.header.end))
    }
}

extension DwarfError {
    /// Returns the error as one of the split unit's skeleton. An exhausted work budget is not
    /// attributed to a unit.
    func ofSplitUnit(from skeleton: UnitHeader) -> DwarfError {
        reason == .workBudget ? self : DwarfError(.inSplitUnit(self), unit: skeleton.offset)
    }
}
