import ByteReading

/// A unit that was split off, with what is around it.
struct SplitUnit {
    /// Its own sections; those that the image keeps for it are missing.
    var sections: DwarfSections
    let scan: UnitScan
    /// Its number in ``scan``.
    let number: Int
    /// How many bytes had to be looked at to find it.
    let cost: UInt64

    init(sections: DwarfSections, scan: UnitScan, number: Int, cost: UInt64) {
        self.sections = sections
        self.scan = scan
        self.number = number
        self.cost = cost
    }

    /// A unit of a package, cut out of its sections; `nil` where the package does not have it.
    init?(_ id: UInt64, of index: PackageIndex, _ package: DwarfSections) throws(DwarfError) {
        let found = try DwarfError.placing(unit: nil) { () throws(ReadingError) in
            try index.parts(of: id).map { parts throws(ReadingError) in try package.cut(to: parts) }
        }
        guard let found else { return nil }
        let info = found.bytes(.info)
        scan = try UnitScan(info, bigEndian: found.isBigEndian)
        // Before version 5 a unit's header has no id: there the index is believed.
        let number = scan.units.firstIndex { !$0.isTypeUnit && $0.splitID ?? id == id }
        guard let number else {
            let problem = "index leads to no unit with id 0x\(String(id, radix: 16))"
            throw DwarfError(.malformed(problem))
        }
        self.number = number
        sections = found
        cost = UInt64(info.count)
    }

    var header: UnitHeader { scan.units[number] }
}

extension DwarfSections {
    /// The parts of one unit. What is not parted, as texts are, stays whole.
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
