import Dwarf

/// A comparison of the records of two readers for the same sections, unit by unit.
///
/// All records must be equal, with these exceptions for damaged files:
///
/// - A unit that one reader cannot read need not fail for the other, which may stop elsewhere in it
///   or not read the damage. It is not compared.
/// - Names of all other units are then not compared either, because they may be in that unit.
/// - If two abbreviations have the same code, libdwarf uses the first until it has read the second.
///   Such a unit counts as failed.
/// - libdwarf skips children by `DW_AT_sibling`, which the mapped reader ignores. So each may visit
///   entries that the other does not: for a unit with that attribute only functions that both found
///   are compared, without their calls.
struct ReaderComparison {
    private let units: [UnitExtent]
    private let failed: Set<UInt64>
    private let allAreRead: Bool

    init(_ sections: DwarfSections, failures: [DwarfError]) {
        units = UnitExtent.all(in: sections)
        failed = Set(failures.compactMap(\.unit)).union(
            units.filter(\.hasAmbiguousAbbreviations).map(\.start))
        allAreRead = failures.isEmpty && failed.isEmpty
    }

    func compare(
        _ mapped: ReaderRecords.Account, _ libdwarf: ReaderRecords.Account
    ) throws(BrokenPromise) {
        for unit in units where !failed.contains(unit.start) {
            try compare(functions(of: unit, in: mapped), functions(of: unit, in: libdwarf), unit)
        }
        guard allAreRead, mapped.functions == libdwarf.functions else { return }
        try promise(
            "both readers find the same rows without a function",
            mapped.rowsWithoutFunction == libdwarf.rowsWithoutFunction)
    }

    private func compare(
        _ mapped: [UInt64: ReaderRecords.Function], _ libdwarf: [UInt64: ReaderRecords.Function],
        _ unit: UnitExtent
    ) throws(BrokenPromise) {
        let place = "the unit at 0x\(String(unit.start, radix: 16))"
        guard unit.hasSiblings else {
            return try promise("both readers say the same of \(place)", mapped == libdwarf)
        }
        for (order, function) in mapped {
            guard let other = libdwarf[order] else { continue }
            try promise(
                "both readers say the same of functions that both find in \(place)",
                function.withoutCalls == other.withoutCalls)
        }
    }

    private func functions(
        of unit: UnitExtent, in account: ReaderRecords.Account
    ) -> [UInt64: ReaderRecords.Function] {
        let functions = account.functions.filter { unit.contains($0.key) }
        return allAreRead ? functions : functions.mapValues(\.withoutNames)
    }
}
