import CallStacks

extension UnitReader<MappedSource> {
    /// Returns the units that may describe code at some of the ascending `offsets`: those whose own
    /// entry claims it, and those whose claim is missing or damaged.
    func units(describing offsets: [ImageOffset]) -> [Int] {
        let scan = units.scan
        let roots = OpenUnits(
            sections, scan: scan, source: MappedSource(ofRootsIn: sections, budget: budget),
            budget: budget)
        var isExhausted = false
        return scan.units.indices.filter { index in
            guard !scan.units[index].isTypeUnit else { return false }
            if isExhausted { return true }
            do throws(DwarfError) {
                return try mayDescribe(offsets, unit: index, of: roots)
            } catch {
                // Reading the unit reports the problem.
                isExhausted = error.reason == .workBudget
                return true
            }
        }
    }

    private func mayDescribe(
        _ offsets: [ImageOffset], unit index: Int, of roots: OpenUnits<MappedSource>
    ) throws(DwarfError) -> Bool {
        let unit = try roots.unit(index)
        if unit.attributes.isPartial || unit.attributes.isModuleReference { return false }
        guard let location = unit.attributes.code else {
            return try mayHaveCode(try units.unit(index))
        }
        var claimed: [Range<ImageOffset>] = []
        try ranges(of: unit).append(location, to: &claimed)
        return claimed.contains { !$0.positions(in: offsets).isEmpty }
    }

    /// Whether a unit that claims no code may describe some. GCC's link-time optimisation writes
    /// hundreds of units whose functions have their code in other units.
    private func mayHaveCode(_ unit: OpenUnit<MappedUnit>) throws(DwarfError) -> Bool {
        if unit.attributes.namesOtherFile || unit.entries.programs.mayHaveCode { return true }
        guard let offset = unit.attributes.lineTable else { return false }
        let header = try LineProgramHeader(
            at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables,
            budget: budget)
        return !header.program.isEmpty
    }
}
