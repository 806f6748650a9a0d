import ByteReading
import CallStacks
import Dwarf

extension FuzzTarget {
    /// Reads the sections from the mapped bytes and through libdwarf.
    ///
    /// A unit that neither fails to read has the same functions in both. See ``ReaderComparison``
    /// for permitted differences in a damaged one.
    func readBothWays(_ input: [UInt8]) throws {
        let packed = PackedSections(input)
        var records = ReaderRecords()
        let mapped = Self.read(packed, usesLibDwarf: false, into: &records)
        // There is no comparison if libdwarf was needed in any case.
        if mapped?.refusal != nil { return }
        let mappedAccount = records.takeAccount()
        let libdwarf = Self.read(packed, usesLibDwarf: true, into: &records)
        let libdwarfAccount = records.takeAccount()
        guard let mapped, let libdwarf else {
            return try promise("both readers fail or none", mapped == nil && libdwarf == nil)
        }
        let summaries = [mapped, libdwarf]
        // The amount read within an exhausted work budget may differ.
        if summaries.contains(where: { $0.warnings.contains(.workBudget) }) { return }
        // Failures beyond the limit have no known positions.
        if summaries.contains(where: { $0.unitsFailed > $0.failures.count }) { return }
        try ReaderComparison(packed.sections, failures: summaries.flatMap(\.failures))
            .compare(mappedAccount, libdwarfAccount)
    }

    private static func read(
        _ packed: PackedSections, usesLibDwarf: Bool, into records: inout ReaderRecords
    ) -> DwarfSummary? {
        try? DwarfReader(
            sections: packed.sections, layout: PackedSections.layout,
            architecture: packed.architecture, usesLibDwarf: usesLibDwarf
        ).read(into: &records)
    }
}
