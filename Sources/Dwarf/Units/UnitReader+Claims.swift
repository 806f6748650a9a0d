import CallStacks

extension UnitReader<MappedSource> {
    /// Returns the units that may describe code at some of the ascending `offsets`: those whose own
    /// entry claims it, and those whose claim is missing or damaged.
    func units(describing offsets: [ImageOffset]) -> [Int] {
        units.scan.units.indices.filter { index in
            guard !units.scan.units[index].isTypeUnit else { return false }
            do {
                return try mayDescribe(offsets, unit: try units.unit(index))
            } catch {
                // Reading the unit reports the problem.
                return true
            }
        }
    }

    private func mayDescribe(
        _ offsets: [ImageOffset], unit: OpenUnit<MappedUnit>
    ) throws(DwarfError) -> Bool {
        if unit.attributes.isPartial || unit.attributes.isModuleReference { return false }
        guard let location = unit.attributes.code else { return try mayHaveCode(unit) }
        var claimed: [Range<ImageOffset>] = []
        try ranges(of: unit).append(location, to: &claimed)
        return claimed.contains { $0.containsAny(of: offsets) }
    }

    /// Whether a unit that claims no code may describe some. GCC's link-time optimisation writes
    /// hundreds of units whose functions have their code in other units.
    private func mayHaveCode(_ unit: OpenUnit<MappedUnit>) throws(DwarfError) -> Bool {
        if unit.attributes.namesOtherFile || unit.entries.programs.mayHaveCode { return true }
        guard let offset = unit.attributes.lineTable else { return false }
        let header = try LineProgramHeader(
            at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables)
        return !header.program.isEmpty
    }
}
