import ByteReading
import CallStacks

/// One pass over the units of a file.
struct UnitReading {
    private let sections: DwarfSections
    private let code: CodeLayout
    private let budget: WorkBudget
    private let units: OpenUnits
    private var names: FunctionNames
    private var summary = DwarfSummary()

    /// How many entries ``look()`` visits, in all units together.
    static let entriesLookedAt = 20_000

    init(_ sections: DwarfSections, code: CodeLayout) throws(DwarfError) {
        for name in [DwarfSections.Name.info, .abbrev] where sections.bytes(name).isEmpty {
            throw DwarfError(.missingSection(name.rawValue))
        }
        self.sections = sections
        self.code = code
        budget = WorkBudget(
            size: DwarfSections.Name.allCases.reduce(0) {
                $0 + UInt64(sections.bytes($1).count)
            })
        units = try OpenUnits(sections, budget: budget)
        names = FunctionNames(units, budget: budget)
        for failure in units.scan.failures { summary.add(failure: failure) }
    }

    /// Reads all units.
    mutating func run(into sink: inout some DebugRecordSink) -> DwarfSummary {
        for index in units.scan.units.indices where !units.scan.units[index].isTypeUnit {
            do {
                try read(index, into: &sink)
                summary.unitsRead += 1
            } catch {
                summary.add(failure: error)
                if error.reason == .workBudget {
                    summary.add(.workBudget)
                    break
                }
            }
        }
        if names.missesSupplementaryFile { summary.add(.dwzAlternateMissing) }
        return summary
    }

    /// Opens a unit and notes what its head says; `nil` for a unit that holds no code.
    private mutating func open(_ index: Int) throws(DwarfError) -> OpenUnit? {
        let unit = try units.unit(index)
        summary.add(version: unit.header.version)
        if unit.attributes.isPartial || unit.attributes.isModuleReference { return nil }
        if let producer = unit.attributes.producer { summary.add(producer: producer) }
        if unit.attributes.namesOtherFile { summary.add(.splitDwarfMissing) }
        return unit
    }

    private mutating func read(
        _ index: Int, into sink: inout some DebugRecordSink
    ) throws(DwarfError) {
        guard let unit = try open(index) else { return }
        var fault: DwarfError?
        let lines = try lines(of: unit, fault: &fault, into: &sink)
        var walk = FunctionWalk(unit, ranges: ranges(of: unit), lines: lines, budget: budget)
        do {
            try walk.run(names: &names, into: &sink)
        } catch {
            fault = error
        }
        // What the walk lost still has lines, so they are handed over all the same.
        note(walk)
        for range in try ownCode(of: unit, lines, fault: &fault).subtracting(
            walk.covered.disjoint())
        {
            for run in lines.runs(in: range) { sink.add(rowsWithoutFunction: run) }
        }
        if let fault = fault ?? walk.fault ?? names.takeFault() { throw fault }
    }

    /// The code whose lines the unit can say: what it claims, or all that has rows if it claims none.
    ///
    /// The last row of a function may reach beyond it. dsymutil of Xcode 8 ended sequences where it
    /// thought that the object file's function would end, and there others follow.
    private func ownCode(
        of unit: OpenUnit, _ lines: UnitLines, fault: inout DwarfError?
    ) throws(DwarfError) -> [Range<ImageOffset>] {
        guard let extent = lines.extent else { return [] }
        var claimed: [Range<ImageOffset>] = []
        if let place = unit.attributes.code {
            do {
                try ranges(of: unit).append(place, to: &claimed)
            } catch {
                if error.reason == .workBudget { throw error }
                fault = fault ?? error
            }
        }
        return claimed.isEmpty ? [extent] : claimed.disjoint()
    }

    /// The lines of a unit, or none where its line table is damaged.
    private mutating func lines(
        of unit: OpenUnit, fault: inout DwarfError?, into sink: inout some DebugRecordSink
    ) throws(DwarfError) -> UnitLines {
        do {
            let lines = try UnitLines(
                of: unit, in: sections, code: code, budget: budget, into: &sink)
            if lines.hasRows { summary.hasLines = true }
            if lines.sequencesDropped > 0 { summary.add(.lineSequencesDropped) }
            return lines
        } catch {
            if error.reason == .workBudget { throw error }
            fault = error
            return UnitLines()
        }
    }

    private func ranges(of unit: OpenUnit) -> RangeLists {
        var ranges = RangeLists(sections, unit: unit.header, code: code, budget: budget)
        ranges.base = unit.attributes.base
        ranges.offsetsBase = unit.attributes.rangeListOffsetsBase
        ranges.tables = unit.attributes.tables
        return ranges
    }

    private mutating func note(_ walk: FunctionWalk) {
        if walk.hasFunctions { summary.hasFunctions = true }
        if walk.hasInlines { summary.hasInlines = true }
        if walk.lostInlines { summary.add(.inlineDepth) }
    }

    /// Reads the heads of all units and visits entries until functions and inlined calls were seen.
    mutating func look() -> DwarfSummary {
        var entriesLeft = Self.entriesLookedAt
        for index in units.scan.units.indices where !units.scan.units[index].isTypeUnit {
            do {
                try look(at: index, entriesLeft: &entriesLeft)
                summary.unitsRead += 1
            } catch {
                summary.add(failure: error)
            }
        }
        return summary
    }

    private mutating func look(at index: Int, entriesLeft: inout Int) throws(DwarfError) {
        guard let unit = try open(index) else { return }
        if !summary.hasLines, let offset = unit.attributes.lineTable {
            let header = try LineProgramHeader(
                at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables)
            if !header.program.isEmpty { summary.hasLines = true }
        }
        guard entriesLeft > 0, !(summary.hasFunctions && summary.hasInlines) else { return }
        var walk = FunctionWalk(
            unit, ranges: ranges(of: unit), lines: UnitLines(), budget: budget,
            entriesLimit: entriesLeft)
        var nowhere = DiscardedRecords()
        defer {
            note(walk)
            entriesLeft = walk.entriesLeft
        }
        try walk.run(names: &names, into: &nowhere)
    }
}

/// A sink for a look that wants no records.
private struct DiscardedRecords: DebugRecordSink {
    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber { NameNumber(rawValue: 0) }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    mutating func add(_ function: FunctionRecord) {}
    mutating func add(_ symbol: SymbolRecord) {}
    mutating func add(rowsWithoutFunction rows: [LineRow]) {}
    mutating func add(functionStart: ImageOffset) {}
}
