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
    /// Storage that is reused for each entry.
    private var values = EntryValues()
    /// Whether a name was missing because it is in a supplementary file.
    private(set) var missesSupplementaryFile = false
    /// The error of the first unreadable name since the last ``takeFault()``.
    private var fault: DwarfError?

    /// The cost of a step in the work budget, about the size of an entry in bytes.
    private static var hopBytes: UInt64 { 32 }

    private struct Names: BitwiseCopyable {
        var linkage = OptionalName()
        var plain = OptionalName()

        var best: NameNumber? { linkage.number ?? plain.number }
    }

    init(_ units: OpenUnits<Source>, budget: WorkBudget) {
        self.units = units
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
        let further = try self.names(at: origin, from: unit, for: &sink)
        return further.linkage.number ?? names.plain.number ?? further.plain.number
    }

    /// Returns and clears the error of a name that could not be read.
    mutating func takeFault() -> DwarfError? {
        defer { fault = nil }
        return fault
    }

    /// - Parameter unit: The unit that refers to `origin`, and usually contains it.
    private mutating func names(
        at origin: UInt64, from unit: OpenUnit<Source.Unit>, for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Names {
        let isInUnit = unit.contains(origin)
        if let names = isInUnit ? known[origin] : knownOfOthers[origin] { return names }
        let earlierFault = fault
        fault = nil
        defer { fault = earlierFault ?? fault }
        var names = Names()
        var next: UInt64? = origin
        var hops = 0
        while let offset = next, names.linkage.number == nil, hops < NameAttributes.hopsLimit {
            try budget.spend(Self.hopBytes)
            next = try read(at: offset, from: unit, into: &names, for: &sink)
            hops += 1
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

    /// Reads the names of the entry at `offset`, and returns the entry that it refers to.
    private mutating func read(
        at offset: UInt64, from unit: OpenUnit<Source.Unit>, into names: inout Names,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> UInt64? {
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
    ) throws(DwarfError) -> UInt64? {
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
        if attributes.isInSupplementaryFile { missesSupplementaryFile = true }
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
