import ByteReading

/// A split unit with its sections.
struct SplitUnit {
    /// Its own sections, without those in the image.
    var sections: DwarfSections
    let scan: UnitScan
    /// Its number in ``scan``.
    let number: Int

    init(sections: DwarfSections, scan: UnitScan, number: Int) {
        self.sections = sections
        self.scan = scan
        self.number = number
    }

    /// Extracts a unit from a package. Returns `nil` if the package does not contain it.
    ///
    /// - Parameter budget: The budget for the search. All rows of an index may refer to the same
    ///   bytes.
    init?(
        _ id: UInt64, of index: PackageIndex, _ package: DwarfSections, budget: WorkBudget
    ) throws(DwarfError) {
        let found = try DwarfError.placing(unit: nil) { () throws(ReadingError) in
            try index.parts(of: id).map { parts throws(ReadingError) in try package.cut(to: parts) }
        }
        guard let found else { return nil }
        let info = found.bytes(.info)
        try budget.spend(UInt64(info.count))
        scan = try UnitScan(info, bigEndian: found.isBigEndian)
        // Before version 5, a unit's header has no id, so the index is trusted.
        let number = scan.units.firstIndex { !$0.isTypeUnit && $0.splitID ?? id == id }
        guard let number else {
            let problem = "index leads to no unit with id 0x\(String(id, radix: 16))"
            throw DwarfError(.malformed(problem))
        }
        self.number = number
        sections = found
    }
}

extension DwarfSections {
    /// Returns the parts of one unit. Shared sections, such as those with strings, stay complete.
    fileprivate func cut(
        to parts: [(section: Name, range: Range<UInt64>)]
    ) throws(ReadingError) -> DwarfSections {
        var sections = self
        for (name, range) in parts {
            guard let whole = self[name] else { continue }
            sections[name] = try whole.slice(
                at: range.lowerBound, count: UInt64(range.count), subject: whole.subject)
        }
        return sections
    }
}
