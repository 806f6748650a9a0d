import ByteReading
import CallStacks

/// A worker that reads units, run by run, and passes their records to a sink.
struct UnitReader<Source: EntrySource> {
    let sections: DwarfSections
    private let splitFiles: SplitFiles
    private let code: CodeLayout
    let budget: WorkBudget
    let units: OpenUnits<Source>
    private var names: FunctionNameLookup<Source>
    private var notes = UnitNotes()
    private var storage = LineStorage()
    /// The range of the current run's line tables.
    private var lineTables: Range<UInt64>?

    /// The maximum number of entries that ``look()`` visits in all units.
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
        units = OpenUnits(sections, scan: scan, source: source, budget: budget)
        names = FunctionNameLookup(
            units, supplement: try SupplementaryNames(of: sections, budget: budget), budget: budget)
    }

    /// Reads units until the queue is empty.
    mutating func run(_ queue: UnitQueue, into sink: inout any DebugRecordSink) -> UnitNotes {
        while let run = queue.nextRun() {
            for index in run where !units.scan.units[index].isTypeUnit && !notes.isExhausted {
                recordOutcome(of: index) { (reading) throws(DwarfError) in
                    try reading.read(index, into: &sink)
                }
            }
            if notes.isExhausted { queue.stop() }
            release(run)
        }
        if names.missesSupplementaryFile { notes.add(.dwzAlternateMissing) }
        return notes
    }

    /// Reads a unit and records whether that succeeded.
    private mutating func recordOutcome(
        of index: Int, _ reading: (inout Self) throws(DwarfError) -> Void
    ) {
        do {
            try reading(&self)
            notes.unitsRead += 1
        } catch {
            notes.add(failure: error, of: index)
            if error.reason == .workBudget { notes.add(.workBudget) }
        }
    }

    /// Releases the pages of a run. Names that other units refer to are read from the file again.
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

    /// Opens a unit and records its headers, or returns `nil` if the unit contains no code.
    private mutating func open(_ index: Int) throws(DwarfError) -> OpenUnit<Source.Unit>? {
        let unit = try units.unit(index)
        if unit.attributes.isPartial || unit.attributes.isModuleReference {
            notes.add(version: unit.header.version)
            return nil
        }
        record(headOf: unit, index: index)
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
        // The lines of entries that the walk could not read are used nevertheless.
        record(walk)
        for range in try ownCode(of: unit, lines: walk.lines, fault: &fault).subtracting(
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

    /// Returns the entries of the split unit, or `nil` if the unit has its own entries or the split
    /// unit is missing.
    private mutating func splitEntries(
        of unit: OpenUnit<Source.Unit>, at index: Int, fault: inout DwarfError?
    ) throws(DwarfError) -> SplitEntries<Source>? {
        guard unit.attributes.namesOtherFile else { return nil }
        do {
            if let id = unit.attributes.splitID,
                let split = try splitFiles.unit(id, budget: budget)
            {
                let entries = try SplitEntries<Source>(
                    split, from: unit, in: sections, budget: budget)
                record(headOf: entries.unit, index: index)
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

    /// Walks the entries of a unit, or of its split unit.
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

    private mutating func record(headOf unit: OpenUnit<Source.Unit>, index: Int) {
        notes.add(version: unit.header.version)
        if let producer = unit.attributes.producer { notes.add(producer: producer, of: index) }
    }

    /// Returns the code for which the unit has lines: the code that it claims, or all code with
    /// rows if it claims none.
    ///
    /// The last row of a function may extend beyond the claimed code: dsymutil of Xcode 8 ended
    /// sequences where the function ended in the object file, which may be inside other functions.
    private func ownCode(
        of unit: OpenUnit<Source.Unit>, lines: UnitLines, fault: inout DwarfError?
    ) throws(DwarfError) -> [Range<ImageOffset>] {
        guard let extent = lines.extent else { return [] }
        var claimed: [Range<ImageOffset>] = []
        if let location = unit.attributes.code {
            do {
                try ranges(of: unit).append(location, to: &claimed)
            } catch {
                if error.reason == .workBudget { throw error }
                fault = fault ?? error
            }
        }
        return claimed.isEmpty ? [extent] : claimed.disjoint()
    }

    /// Returns the lines of a unit, or no lines if its line table is damaged.
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

    func ranges(of unit: OpenUnit<Source.Unit>) -> RangeLists {
        let ranges = RangeLists(
            unit.sections, unit: unit.header, tables: unit.attributes.tables, code: code,
            budget: budget)
        ranges.base = unit.attributes.base
        ranges.pairsBase = unit.attributes.rangesBase
        ranges.offsetsBase = unit.attributes.rangeListOffsetsBase
        return ranges
    }

    private mutating func record(_ walk: FunctionWalk<Source>) {
        if walk.hasFunctions { notes.hasFunctions = true }
        if walk.hasInlines { notes.hasInlines = true }
        if walk.lostInlines { notes.add(.inlineDepth) }
    }

    /// Reads the headers of all units, and visits entries until a function and an inlined call are
    /// found.
    mutating func look() -> UnitNotes {
        var entriesLeft = Self.entriesLookedAt
        for index in units.scan.units.indices
        where !units.scan.units[index].isTypeUnit && !notes.isExhausted {
            recordOutcome(of: index) { (reading) throws(DwarfError) in
                try reading.look(at: index, entriesLeft: &entriesLeft)
            }
        }
        return notes
    }

    private mutating func look(at index: Int, entriesLeft: inout Int) throws(DwarfError) {
        guard let unit = try open(index) else { return }
        if !notes.hasLines, let offset = unit.attributes.lineTable {
            let header = try LineProgramHeader(
                at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables,
                budget: budget)
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
            record(walk)
            entriesLeft = walk.entriesLeft
        }
        do {
            try run(&walk, through: split, into: &nowhere)
        } catch {
            throw split == nil ? error : error.ofSplitUnit(from: unit.header)
        }
    }
}

/// A sink that discards all records.
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
