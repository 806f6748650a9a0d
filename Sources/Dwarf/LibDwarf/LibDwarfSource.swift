import CLibDwarf

/// Reads entries with libdwarf, which is slower but supports the files that the mapped reader
/// declines.
struct LibDwarfSource: EntrySource {
    private let sections: DwarfSections
    private let abbreviations: LibDwarfAbbreviations
    private let budget: WorkBudget

    init(
        _ sections: DwarfSections, units: [UnitHeader], budget: WorkBudget
    ) throws(DwarfError) {
        self.sections = sections
        self.budget = budget
        abbreviations = try LibDwarfAbbreviations(
            sections.bytes(.abbrev), units: units, budget: budget)
    }

    func open(_ header: UnitHeader) throws(DwarfError) -> LibDwarfUnit {
        // libdwarf reads the abbreviations again for each unit.
        try budget.spend(try abbreviations.size(for: header))
        return try LibDwarfUnit(
            header, sections: sections, abbreviations: abbreviations.section)
    }
}

extension LibDwarfUnit: UnitEntries {
    func tag(ofEntryAt offset: UInt64) throws(DwarfError) -> UInt16 {
        try entry(at: offset).tag
    }

    func read(entryAt offset: UInt64, into values: inout EntryValues) throws(DwarfError) {
        let entry = try entry(at: offset)
        values.removeAll(inUnitAt: header.offset)
        try entry.read(into: &values)
    }

    func walk(limit: Int) throws(DwarfError) -> LibDwarfWalk {
        LibDwarfWalk(self, limit: limit)
    }
}

/// A walk from entry to entry with libdwarf, which keeps its own stack.
final class LibDwarfWalk: EntryWalk {
    private let unit: LibDwarfUnit
    private let budget: WorkBudget
    private(set) var leastDepth = 0
    private(set) var entriesLeft: Int
    private var current: LibDwarfEntry?
    /// The offsets of the entries around ``current``.
    private var parents: [UInt64] = []
    private var lastOffset: UInt64 = 0

    /// The maximum average number of times an entry is read. libdwarf reads an entry again for each
    /// enclosing one.
    private static let siblingReadsLimit: UInt64 = 64

    init(_ unit: LibDwarfUnit, limit: Int) {
        self.unit = unit
        entriesLeft = limit
        budget = WorkBudget(
            from: WorkPool(size: unit.header.size, times: Self.siblingReadsLimit))
    }

    func next() throws(DwarfError) -> CodeEntry? {
        leastDepth = .max
        while try advance() {
            guard let kind = current?.kind, let offset = current?.offset else { continue }
            return CodeEntry(kind: kind, offset: offset, depth: parents.count)
        }
        return nil
    }

    func read(into values: inout EntryValues) throws(DwarfError) {
        values.removeAll(inUnitAt: unit.header.offset)
        try current?.read(into: &values)
    }

    /// Moves to the next entry in the order of the section. Returns `false` after the last one.
    private func advance() throws(DwarfError) -> Bool {
        guard entriesLeft > 0 else { return false }
        var following = try successor()
        while true {
            if let entry = following.take() {
                try checkOrder(entry.offset)
                entriesLeft -= 1
                current = consume entry
                return true
            }
            guard let parent = parents.popLast() else { return false }
            leastDepth = min(leastDepth, parents.count)
            try budget.spend(lastOffset - parent)
            following = try unit.entry(at: parent).nextSibling()
        }
    }

    /// Returns the entry's first child, or else the next entry of its parent, or `nil` if there is
    /// neither.
    private func successor() throws(DwarfError) -> LibDwarfEntry? {
        guard let entry = current.take() else {
            return lastOffset == 0 ? try unit.entry(at: unit.root).firstChild() : nil
        }
        guard entry.hasChildren else {
            leastDepth = min(leastDepth, parents.count)
            return try entry.nextSibling()
        }
        guard parents.count < CodeEntry.depthLimit
        else { throw DwarfError(.nesting(limit: CodeEntry.depthLimit), unit: unit.header.offset) }
        parents.append(entry.offset)
        return try entry.firstChild()
    }

    /// Rejects a `DW_AT_sibling` that leads backwards, which would make the walk and libdwarf's own
    /// loops endless.
    private func checkOrder(_ offset: UInt64) throws(DwarfError) {
        guard offset > lastOffset
        else { throw unit.malformed("an entry's sibling precedes it") }
        lastOffset = offset
    }
}

extension LibDwarfEntry {
    /// The kind of the entry, or `nil` if it cannot have code.
    var kind: CodeEntry.Kind? {
        switch Int32(tag) {
        case DW_TAG_subprogram: .function
        case DW_TAG_inlined_subroutine: .inlinedCall
        default: nil
        }
    }
}
