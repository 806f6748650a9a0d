import ByteReading
import CallStacks

/// Finds the names of functions by following references to other entries.
///
/// In a chain of `DW_AT_abstract_origin` and `DW_AT_specification`, the first linkage name counts,
/// or else the nearest plain name. Each entry in the chain is read once.
struct FunctionNameLookup<Source: EntrySource> {
    private let units: OpenUnits<Source>
    private let budget: WorkBudget
    /// The names by entry offset, in the current unit and in others.
    private var known = OffsetTable(empty: Names())
    private var knownOfOthers = OffsetTable(empty: Names())
    /// The names by offset in `.debug_str`, where linkers store each string once.
    private var texts = OffsetTable(empty: OptionalName())
    /// The other unit that was read last, cached because the next entry is usually in it too.
    private var lastOther: OpenUnit<Source.Unit>?
    /// The names in the supplementary file, or `nil` if there is none.
    private let supplement: SupplementaryNames<Source>?
    /// Storage that is reused for each entry.
    private var values = EntryValues()
    /// Whether a name was missing because it is in a supplementary file that is missing.
    private(set) var missesSupplementaryFile = false
    /// The error of the first unreadable name since the last ``takeFault()``.
    private var fault: DwarfError?

    /// The cost of a step in the work budget, about the size of an entry in bytes.
    private static var hopBytes: UInt64 { 32 }

    /// The names found in a chain of entries.
    struct Names: BitwiseCopyable {
        fileprivate var linkage = OptionalName()
        fileprivate var plain = OptionalName()

        fileprivate var best: NameNumber? { linkage.number ?? plain.number }

        /// Adds the names of later entries in the chain.
        fileprivate mutating func append(_ further: Self) {
            if linkage.number == nil { linkage = further.linkage }
            if plain.number == nil { plain = further.plain }
        }
    }

    /// - Parameter supplement: The names in the supplementary file, if there is one.
    init(
        _ units: OpenUnits<Source>, supplement: SupplementaryNames<Source>? = nil,
        budget: WorkBudget
    ) {
        self.units = units
        self.supplement = supplement
        self.budget = budget
    }

    /// Removes entries of the previous unit: few references cross units, and a small table is fast.
    mutating func beginUnit() { known.removeAll() }

    /// Returns the name of the function whose entry in `unit` has `attributes`.
    mutating func name(
        of attributes: NameAttributes, in unit: OpenUnit<Source.Unit>,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> NameNumber? {
        var names = Names()
        try take(attributes, in: unit, into: &names, for: &sink)
        guard names.linkage.number == nil, let origin = attributes.origin
        else { return names.best }
        names.append(try self.names(at: origin, from: unit, for: &sink))
        return names.best
    }

    /// Returns and clears the error of a name that could not be read.
    mutating func takeFault() -> DwarfError? {
        defer { fault = nil }
        return fault
    }

    /// Returns the names of the entry at `origin` and of those that it refers to.
    ///
    /// - Parameter unit: The unit that refers to `origin`, and usually contains it.
    mutating func names(
        at origin: EntryReference, from unit: OpenUnit<Source.Unit>,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Names {
        guard case .entry(let origin) = origin
        else { return try supplementaryNames(at: origin, from: unit, for: &sink) }
        let isInUnit = unit.contains(origin)
        if let names = isInUnit ? known[origin] : knownOfOthers[origin] { return names }
        let earlierFault = fault
        fault = nil
        defer { fault = earlierFault ?? fault }
        var names = Names()
        var next: EntryReference? = .entry(origin)
        var hops = 0
        while case .entry(let offset)? = next, names.linkage.number == nil,
            hops < NameAttributes.hopsLimit
        {
            try budget.spend(Self.hopBytes)
            next = try read(at: offset, from: unit, into: &names, for: &sink)
            hops += 1
        }
        if let next, case .supplementary = next, names.linkage.number == nil {
            names.append(try supplementaryNames(at: next, from: unit, for: &sink))
        }
        // The error is reported for each unit that refers here, whichever reads it first.
        guard fault == nil else { return names }
        if isInUnit {
            known.insert(names, at: origin)
        } else {
            knownOfOthers.insert(names, at: origin)
        }
        return names
    }

    /// Returns the names of an entry of the supplementary file, or no names if the file is missing.
    private mutating func supplementaryNames(
        at origin: EntryReference, from unit: OpenUnit<Source.Unit>,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Names {
        guard case .supplementary(let offset) = origin, let supplement else { return Names() }
        try budget.spend(Self.hopBytes)
        do {
            return try supplement.names(at: offset, for: &sink)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? DwarfError(error.reason, unit: unit.header.offset)
            return Names()
        }
    }

    /// Reads the names of the entry at `offset`, and returns the entry that it refers to.
    private mutating func read(
        at offset: UInt64, from unit: OpenUnit<Source.Unit>, into names: inout Names,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> EntryReference? {
        do {
            if unit.contains(offset) {
                return try take(entryAt: offset, of: unit, into: &names, for: &sink)
            }
            guard let other = try takeOther(containing: offset) else { return nil }
            defer { lastOther = other }
            return try take(entryAt: offset, of: other, into: &names, for: &sink)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? error
            return nil
        }
    }

    /// Returns the unit that contains the entry at `offset`. If it is ``lastOther``, it is moved
    /// out of it, because reference counting would stall on each entry.
    private mutating func takeOther(
        containing offset: UInt64
    ) throws(DwarfError) -> OpenUnit<Source.Unit>? {
        if let last = lastOther.take(), last.contains(offset) { return last }
        return try units.unit(containing: offset)
    }

    /// - Parameter unit: The unit that contains the entry.
    private mutating func take(
        entryAt offset: UInt64, of unit: OpenUnit<Source.Unit>, into names: inout Names,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> EntryReference? {
        try unit.entries.read(entryAt: offset, into: &values)
        if let found = values.fault { fault = fault ?? found }
        let attributes = NameAttributes(values)
        try take(attributes, in: unit, into: &names, for: &sink)
        return attributes.origin
    }

    private mutating func take(
        _ attributes: NameAttributes, in unit: OpenUnit<Source.Unit>, into names: inout Names,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        if supplement == nil, attributes.isInSupplementaryFile { missesSupplementaryFile = true }
        if let linkage = attributes.linkageName {
            names.linkage.number = try number(of: linkage, in: unit, for: &sink)
        }
        if names.linkage.number == nil, names.plain.number == nil,
            let plain = attributes.plainName
        {
            names.plain.number = try number(of: plain, in: unit, for: &sink)
        }
    }

    private mutating func number(
        of text: TextValue, in unit: OpenUnit<Source.Unit>, for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> NameNumber? {
        guard case .direct(.str, let offset) = text
        else { return try readNumber(of: text, in: unit, for: &sink) }
        if let known = texts[offset] { return known.number }
        let number = OptionalName(try readNumber(of: text, in: unit, for: &sink))
        if number.number != nil { texts.insert(number, at: offset) }
        return number.number
    }

    private mutating func readNumber(
        of text: TextValue, in unit: OpenUnit<Source.Unit>, for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> NameNumber? {
        var count = 0
        var number: NameNumber?
        do {
            number = try unit.attributes.tables.withText(text) { utf8 in
                count = utf8.count
                return sink.number(ofName: utf8)
            }
        } catch {
            fault = fault ?? DwarfError(.reading(error), unit: unit.header.offset)
        }
        try budget.spend(UInt64(count))
        return number
    }
}

/// The number of an optional name in four bytes, because tables contain millions of them.
private struct OptionalName: BitwiseCopyable {
    /// The number + 1, or 0 for none. No sink uses the maximum number.
    private var raw: UInt32 = 0

    init(_ number: NameNumber? = nil) { self.number = number }

    var number: NameNumber? {
        get { raw == 0 ? nil : NameNumber(rawValue: raw - 1) }
        set { raw = newValue.map { $0.rawValue &+ 1 } ?? 0 }
    }
}
