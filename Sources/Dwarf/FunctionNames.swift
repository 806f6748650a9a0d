import ByteReading
import CallStacks

/// Finds the names of functions, through the entries that say more of them.
///
/// Of a chain of `DW_AT_abstract_origin` and `DW_AT_specification` the first linkage name counts,
/// else the nearest plain name. Each entry on the way is read once.
struct FunctionNames<Source: EntrySource> {
    private let units: OpenUnits<Source>
    private let budget: WorkBudget
    private var known: [UInt64: Names] = [:]
    /// Whether a name was missing because it is in a supplementary file.
    private(set) var missesSupplementaryFile = false
    /// The first name that could not be read since this was last taken.
    private var fault: DwarfError?

    /// What a step costs of the budget, about the size of an entry in bytes.
    private static var hopBytes: UInt64 { 32 }

    private struct Names {
        var linkage: NameNumber?
        var plain: NameNumber?
    }

    init(_ units: OpenUnits<Source>, budget: WorkBudget) {
        self.units = units
        self.budget = budget
    }

    /// The name of the function that `attributes` of an entry in `unit` belong to.
    mutating func name(
        of attributes: NameAttributes, in unit: OpenUnit<Source.Unit>,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> NameNumber? {
        var names = Names()
        let origin = try take(attributes, in: unit, into: &names, for: &sink)
        guard names.linkage == nil, let origin else { return names.linkage ?? names.plain }
        let further = try self.names(at: origin, for: &sink)
        return further.linkage ?? names.plain ?? further.plain
    }

    /// The error of a name that could not be read; each is returned once.
    mutating func takeFault() -> DwarfError? {
        defer { fault = nil }
        return fault
    }

    private mutating func names(
        at origin: UInt64, for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Names {
        if let names = known[origin] { return names }
        var names = Names()
        var next: UInt64? = origin
        var hops = 0
        while let place = next, names.linkage == nil, hops < NameAttributes.hopsLimit {
            try budget.spend(Self.hopBytes)
            next = try read(at: place, into: &names, for: &sink)
            hops += 1
        }
        known[origin] = names
        return names
    }

    /// Reads the names of the entry at `place`; returns where more is said of the function.
    private mutating func read(
        at place: UInt64, into names: inout Names, for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> UInt64? {
        do {
            guard let unit = try units.unit(containing: place) else { return nil }
            let attributes = try NameAttributes(of: unit.entries, at: place)
            return try take(attributes, in: unit, into: &names, for: &sink)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? error
            return nil
        }
    }

    private mutating func take(
        _ attributes: NameAttributes, in unit: OpenUnit<Source.Unit>, into names: inout Names,
        for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> UInt64? {
        if attributes.isInSupplementaryFile { missesSupplementaryFile = true }
        if let linkage = attributes.linkageName {
            names.linkage = number(of: linkage, in: unit, for: &sink)
        }
        if names.linkage == nil, names.plain == nil, let plain = attributes.plainName {
            names.plain = number(of: plain, in: unit, for: &sink)
        }
        return attributes.origin
    }

    private mutating func number(
        of text: TextValue, in unit: OpenUnit<Source.Unit>, for sink: inout any DebugRecordSink
    ) -> NameNumber? {
        do {
            return try unit.attributes.tables.withText(text) { sink.number(ofName: $0) }
        } catch {
            fault = fault ?? DwarfError(.reading(error), unit: unit.header.offset)
            return nil
        }
    }
}
