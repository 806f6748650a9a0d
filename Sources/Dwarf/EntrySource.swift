import ByteReading

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
    associatedtype Value: Attribute
    associatedtype Walk: EntryWalk where Walk.Value == Value

    var header: UnitHeader { get }

    /// The `DW_TAG_` number of the entry at `offset` of `.debug_info`.
    func tag(ofEntryAt offset: UInt64) throws(DwarfError) -> UInt16

    /// Calls `body` with each attribute of the entry at `offset` of `.debug_info`, which lies in the
    /// unit. What nobody asks for may be left out.
    func forEachAttribute(
        ofEntryAt offset: UInt64, _ body: (borrowing Value) throws(DwarfError) -> Void
    ) throws(DwarfError)

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
    associatedtype Value: Attribute

    /// The least depth that ``next()`` came by when it was called last: functions and calls that are
    /// as deep have ended. A fault leaves it at what was reached.
    var leastDepth: Int { get }
    /// How many entries may still be visited.
    var entriesLeft: Int { get }

    /// The next function or inlined call, or `nil` behind the last one.
    mutating func next() throws(DwarfError) -> CodeEntry?

    /// Calls `body` with the attributes of what ``next()`` returned last. They may be left out where
    /// none of them says that there is code.
    func forEachAttribute(
        _ body: (borrowing Value) throws(DwarfError) -> Void
    ) throws(DwarfError)
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
