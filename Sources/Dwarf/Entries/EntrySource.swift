/// A source of the debugging information entries of a file: the mapped bytes, or libdwarf. Callers
/// interpret entries in the same way for both.
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

    /// Returns the `DW_TAG_` number of the entry at `offset` of `.debug_info`.
    func tag(ofEntryAt offset: UInt64) throws(DwarfError) -> UInt16

    /// Fills `values` from the entry at `offset` of `.debug_info`, which may be any number.
    func read(entryAt offset: UInt64, into values: inout EntryValues) throws(DwarfError)

    /// Returns a walk over all entries below the unit's own.
    ///
    /// - Parameter limit: The maximum number of visited entries.
    func walk(limit: Int) throws(DwarfError) -> Walk
}

extension UnitEntries {
    /// The offset of the unit's own entry in `.debug_info`.
    var root: UInt64 { header.root }

    func malformed(_ what: String) -> DwarfError {
        DwarfError(.malformed(what), unit: header.offset)
    }
}

/// A walk over all entries of a unit in the order of the section, which stops at entries that may
/// have code.
protocol EntryWalk {
    /// The minimum depth during the last call of ``next()``: functions and calls at this depth or
    /// deeper have ended. After an error it is the depth reached.
    var leastDepth: Int { get }
    /// The number of entries that may still be visited.
    var entriesLeft: Int { get }

    /// Returns the next function or inlined call, or `nil` after the last one.
    mutating func next() throws(DwarfError) -> CodeEntry?

    /// Fills `values` from the entry that ``next()`` returned last. Those of a function may stay
    /// empty if no attribute refers to code.
    func read(into values: inout EntryValues) throws(DwarfError)
}

/// An entry that may have code.
struct CodeEntry {
    enum Kind: UInt8 {
        case function, inlinedCall
    }

    let kind: Kind
    /// The offset in `.debug_info`.
    let offset: UInt64
    /// The number of enclosing entries; 0 for children of the unit's own entry.
    let depth: Int

    /// The maximum depth of entries.
    static let depthLimit = 4096
    /// The maximum depth of inlined calls.
    static let inlineLimit = 512
}
