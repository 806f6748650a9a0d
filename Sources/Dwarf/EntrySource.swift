/// Where the debugging information entries of a file come from: the mapped bytes themselves, or
/// libdwarf. What entries mean is decided above, once for both.
protocol EntrySource {
    associatedtype Unit: UnitEntries

    /// - Parameter units: All readable units of the file.
    init(_ sections: DwarfSections, units: [UnitHeader], budget: WorkBudget) throws(DwarfError)

    /// Makes the entries of a unit readable.
    mutating func open(_ header: UnitHeader) throws(DwarfError) -> Unit
}

/// The entries of one unit.
protocol UnitEntries {
    associatedtype Walk: EntryWalk

    var header: UnitHeader { get }

    /// The `DW_TAG_` number of the entry at `offset` of `.debug_info`.
    func tag(ofEntryAt offset: UInt64) throws(DwarfError) -> UInt16

    /// Fills `values` from the entry at `offset` of `.debug_info`, which may be any number.
    func read(entryAt offset: UInt64, into values: inout EntryValues) throws(DwarfError)

    /// A walk over all entries below the unit's own.
    ///
    /// - Parameter limit: How many entries are visited at most.
    func walk(limit: Int) throws(DwarfError) -> Walk
}

extension UnitEntries {
    /// Where the unit's own entry stands in `.debug_info`.
    var root: UInt64 { header.offset + header.headerSize }

    func malformed(_ what: String) -> DwarfError {
        DwarfError(.malformed(what), unit: header.offset)
    }
}

/// Visits every entry of a unit in the order of the section and stops at those that code may belong
/// to.
protocol EntryWalk {
    /// The least depth that ``next()`` came by when it was called last: functions and calls that are
    /// as deep have ended. A fault leaves it at what was reached.
    var leastDepth: Int { get }
    /// How many entries may still be visited.
    var entriesLeft: Int { get }

    /// The next function or inlined call, or `nil` behind the last one.
    mutating func next() throws(DwarfError) -> CodeEntry?

    /// Fills `values` from what ``next()`` returned last. They may stay empty where no attribute
    /// says that there is code.
    func read(into values: inout EntryValues) throws(DwarfError)
}

/// An entry that code may belong to.
struct CodeEntry {
    enum Kind: UInt8 {
        case function, inlinedCall
    }

    let kind: Kind
    /// From the start of `.debug_info`.
    let offset: UInt64
    /// How many entries are around it; 0 for children of the unit's own entry.
    let depth: Int

    /// How deep entries may nest.
    static let depthLimit = 4096
    /// How deep calls may be inlined into one another.
    static let inlineLimit = 512
}
