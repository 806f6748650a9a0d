import ByteReading
import CallStacks

/// What one worker does: it reads units, run by run, and hands what they say to a sink.
struct UnitReading<Source: EntrySource> {
    private let sections: DwarfSections
    private let splitFiles: SplitFiles
    private let code: CodeLayout
    private let budget: WorkBudget
    private let units: OpenUnits<Source>
    private var names: FunctionNames<Source>
    private var notes = UnitNotes()
    private var storage = LineStorage()
    /// Where the line tables of the run lie that is being read.
    private var lineTables: Range<UInt64>?

    /// How many entries ``look()`` visits, in all units together.
    private static var entriesLookedAt: Int { 20_000 }

    init(
        _ sections: DwarfSections, splitFiles: SplitFiles, scan: UnitScan, code: CodeLayout,
        pool: WorkPool
    ) throws(DwarfError) {
        self.sections = sections
        self.splitFiles = splitFiles
        self.code = code
        budget = WorkBudget(from: pool)
        let source = try Source(sections, units: scan.units, budget: budget)
        units = OpenUnits(sections, scan: scan, source: source)
        names = FunctionNames(units, budget: budget)
    }

    /// Reads units until none is left.
    mutating func run(_ queue: UnitQueue, into sink: inout any DebugRecordSink) -> UnitNotes {
        while let run = queue.nextRun() {
            for index in run where !units.scan.units[index].isTypeUnit && !notes.isExhausted {
                note(index) { (reading) throws(DwarfError) in try reading.read(index, into: &sink) }
            }
            if notes.isExhausted { queue.stop() }
            release(run)
        }
        if names.missesSupplementaryFile { notes.add(.dwzAlternateMissing) }
        return notes
    }

    /// Notes how reading a unit went.
    private mutating func note(
        _ index: Int, _ reading: (inout Self) throws(DwarfError) -> Void
    ) {
        do {
            try reading(&self)
            notes.unitsRead += 1
        } catch {
            notes.add(failure: error, of: index)
            if error.reason == .workBudget { notes.add(.workBudget) }
        }
    }

    /// Gives back the memory of what was read of a run. Names that other units refer to are read from
    /// the file again.
    private mutating func release(_ run: Range<Int>) {
        let first = units.scan.units[run.lowerBound]
        let last = units.scan.units[run.upperBound - 1]
        let info = Int(first.offset)..<Int(last.end)
        sections.bytes(.info).release(info)
        if let lines = lineTables {
            sections.bytes(.line).release(Int(lines.lowerBound)..<Int(lines.upperBound))
        }
        lineTables = nil
    }

    /// Opens a unit and notes what its head says; `nil` for a unit that holds no code.
    private mutating func open(_ index: Int) throws(DwarfError) -> OpenUnit<Source.Unit>? {
        let unit = try units.unit(index)
        if unit.attributes.isPartial || unit.attributes.isModuleReference {
            notes.add(version: unit.header.version)
            return nil
        }
        note(headOf: unit, index)
        return unit
    }

    private mutating func read(
        _ index: Int, into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        guard let unit = try open(index) else { return }
        names.beginUnit()
        var fault: DwarfError?
        let lines = try lines(of: unit, fault: &fault, into: &sink)
        let split = try splitEntries(of: unit, at: index, fault: &fault)
        let entries = split?.unit ?? unit
        var walk = FunctionWalk<Source>(
            entries, ranges: ranges(of: entries), lines: consume lines, budget: budget,
            order: split?.order ?? 0)
        defer { storage.keep(walk.takeRows()) }
        do {
            try run(&walk, through: split, into: &sink)
        } catch {
            fault = split == nil ? error : error.ofSplitUnit(from: unit.header)
        }
        split?.release()
        // What the walk lost still has lines, so they are handed over all the same.
        note(walk)
        for range in try ownCode(of: unit, walk.lines, fault: &fault).subtracting(
            walk.covered.disjoint())
        {
            walk.lines.forEachRun(in: range) { sink.add(rowsWithoutFunction: $0) }
        }
        if let fault { throw fault }
        if let split, let found = walk.fault ?? split.names.takeFault() {
            throw found.ofSplitUnit(from: unit.header)
        }
        if let found = walk.fault ?? names.takeFault() { throw found }
    }

    /// The entries that were split off from `unit`; `nil` where it has its own, and where those that
    /// were split off are not to be had.
    private mutating func splitEntries(
        of unit: OpenUnit<Source.Unit>, at index: Int, fault: inout DwarfError?
    ) throws(DwarfError) -> SplitEntries<Source>? {
        guard unit.attributes.namesOtherFile else { return nil }
        do {
            if let id = unit.attributes.splitID, let split = try splitFiles.unit(id) {
                let entries = try SplitEntries<Source>(
                    split, from: unit, in: sections, budget: budget)
                note(headOf: entries.unit, index)
                return entries
            }
            notes.splitUnitsMissing += 1
            notes.add(.splitDwarfMissing)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? error.ofSplitUnit(from: unit.header)
        }
        return nil
    }

    /// Walks over the entries of a unit, or over those that were split off from it.
    private mutating func run(
        _ walk: inout FunctionWalk<Source>, through split: SplitEntries<Source>?,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        if let split {
            try walk.run(names: &split.names, into: &sink)
        } else {
            try walk.run(names: &names, into: &sink)
        }
    }

    private mutating func note(headOf unit: OpenUnit<Source.Unit>, _ index: Int) {
        notes.add(version: unit.header.version)
        if let producer = unit.attributes.producer { notes.add(producer: producer, of: index) }
    }

    /// The code whose lines the unit can say: what it claims, or all that has rows if it claims none.
    ///
    /// The last row of a function may reach beyond it. dsymutil of Xcode 8 ended sequences where it
    /// thought that the object file's function would end, and there others follow.
    private func ownCode(
        of unit: OpenUnit<Source.Unit>, _ lines: UnitLines, fault: inout DwarfError?
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
        of unit: OpenUnit<Source.Unit>, fault: inout DwarfError?,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> UnitLines {
        do {
            let lines = try UnitLines(
                of: unit, in: sections, code: code, budget: budget, storage: &storage,
                into: &sink)
            if let table = lines.extentOfTable {
                let before = lineTables ?? table
                lineTables =
                    min(
                        before.lowerBound, table.lowerBound)..<max(
                        before.upperBound, table.upperBound)
            }
            if lines.hasRows { notes.hasLines = true }
            if lines.sequencesDropped > 0 { notes.add(.lineSequencesDropped) }
            return lines
        } catch {
            if error.reason == .workBudget { throw error }
            fault = error
            return UnitLines()
        }
    }

    private func ranges(of unit: OpenUnit<Source.Unit>) -> RangeLists {
        let ranges = RangeLists(
            unit.sections, unit: unit.header, tables: unit.attributes.tables, code: code,
            budget: budget)
        ranges.base = unit.attributes.base
        ranges.pairsBase = unit.attributes.rangesBase
        ranges.offsetsBase = unit.attributes.rangeListOffsetsBase
        return ranges
    }

    private mutating func note(_ walk: FunctionWalk<Source>) {
        if walk.hasFunctions { notes.hasFunctions = true }
        if walk.hasInlines { notes.hasInlines = true }
        if walk.lostInlines { notes.add(.inlineDepth) }
    }

    /// Reads the heads of all units and visits entries until functions and inlined calls were seen.
    mutating func look() -> UnitNotes {
        var entriesLeft = Self.entriesLookedAt
        for index in units.scan.units.indices where !units.scan.units[index].isTypeUnit {
            note(index) { (reading) throws(DwarfError) in
                try reading.look(at: index, entriesLeft: &entriesLeft)
            }
        }
        return notes
    }

    private mutating func look(at index: Int, entriesLeft: inout Int) throws(DwarfError) {
        guard let unit = try open(index) else { return }
        if !notes.hasLines, let offset = unit.attributes.lineTable {
            let header = try LineProgramHeader(
                at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables)
            if !header.program.isEmpty { notes.hasLines = true }
        }
        var fault: DwarfError?
        let split = try splitEntries(of: unit, at: index, fault: &fault)
        if let fault { throw fault }
        guard entriesLeft > 0, !(notes.hasFunctions && notes.hasInlines) else { return }
        let entries = split?.unit ?? unit
        var walk = FunctionWalk<Source>(
            entries, ranges: ranges(of: entries), lines: UnitLines(), budget: budget,
            entriesLimit: entriesLeft)
        var nowhere: any DebugRecordSink = DiscardedRecords()
        defer {
            note(walk)
            entriesLeft = walk.entriesLeft
        }
        do {
            try run(&walk, through: split, into: &nowhere)
        } catch {
            throw split == nil ? error : error.ofSplitUnit(from: unit.header)
        }
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
