import ByteReading
public import CallStacks

/// Reads the functions, inlined calls and lines of one image out of its DWARF sections, versions 2
/// to 5.
public struct DwarfReader: Sendable {
    private let sections: DwarfSections
    private let layout: ImageLayout
    private let architecture: Architecture
    private let usesLibDwarf: Bool

    /// - Parameters:
    ///   - layout: Tells code from what linkers left over of functions that they dropped.
    ///   - usesLibDwarf: Reads entries through libdwarf even where that is not needed, for a second
    ///     opinion.
    public init(
        sections: DwarfSections, layout: ImageLayout, architecture: Architecture,
        usesLibDwarf: Bool = false
    ) {
        self.usesLibDwarf = usesLibDwarf
        self.sections = sections
        self.layout = layout
        self.architecture = architecture
    }

    /// Hands every function and every row of the line tables to `sink`.
    ///
    /// A unit that is damaged costs what it says, not the file: the summary tells which.
    ///
    /// - Throws: When nothing can be read at all.
    public func read(into sink: inout some DebugRecordSink) throws(DwarfError) -> DwarfSummary {
        let scan = try scan()
        if let refusal = refusal(of: scan) {
            var reading = try reading(scan, through: LibDwarfSource.self)
            return withAnySink(&sink) { reading.run(into: &$0) }.readThroughLibDwarf(refusal)
        }
        var reading = try reading(scan, through: MappedSource.self)
        return withAnySink(&sink) { reading.run(into: &$0) }
    }

    /// Gives `sink` to `body` as a sink of no known type.
    ///
    /// The sink's type is of another module, and code that is generic over it would look its types
    /// up while it runs, which costs a quarter of the time. Moved in and out, it is not copied.
    private func withAnySink<Sink: DebugRecordSink, Result>(
        _ sink: inout Sink, _ body: (inout any DebugRecordSink) -> Result
    ) -> Result {
        var anySink: any DebugRecordSink = consume sink
        let result = body(&anySink)
        guard let same = anySink as? Sink else { preconditionFailure("the sink has another type") }
        sink = same
        return result
    }

    /// What ``read(into:)`` would find, from the heads of the units and a bounded look at what
    /// follows: entries that come late may be missed.
    public func summary() throws(DwarfError) -> DwarfSummary {
        let scan = try scan()
        if let refusal = refusal(of: scan) {
            var reading = try reading(scan, through: LibDwarfSource.self)
            return reading.look().readThroughLibDwarf(refusal)
        }
        var reading = try reading(scan, through: MappedSource.self)
        return reading.look()
    }

    private func scan() throws(DwarfError) -> UnitScan {
        for name in [DwarfSections.Name.info, .abbrev] where sections.bytes(name).isEmpty {
            throw DwarfError(.missingSection(name.rawValue))
        }
        return try UnitScan(sections.bytes(.info), bigEndian: sections.isBigEndian)
    }

    private func refusal(of scan: UnitScan) -> MappedRefusal? {
        usesLibDwarf ? .notWanted : MappedRefusal(of: sections, units: scan.units)
    }

    private func reading<Source: EntrySource>(
        _ scan: UnitScan, through source: Source.Type
    ) throws(DwarfError) -> UnitReading<Source> {
        try UnitReading(
            sections, scan: scan, code: CodeLayout(layout, architecture: architecture))
    }
}
