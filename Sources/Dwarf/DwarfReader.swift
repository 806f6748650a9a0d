import ByteReading
public import CallStacks

/// Reads the functions, inlined calls and lines of one image out of its DWARF sections, versions 2
/// to 5.
public struct DwarfReader: Sendable {
    private let sections: DwarfSections
    private let layout: ImageLayout
    private let architecture: Architecture

    /// - Parameter layout: Tells code from what linkers left over of functions that they dropped.
    public init(sections: DwarfSections, layout: ImageLayout, architecture: Architecture) {
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
        var reading = try UnitReading(
            sections, code: CodeLayout(layout, architecture: architecture))
        return reading.run(into: &sink)
    }

    /// What ``read(into:)`` would find, from the heads of the units and a bounded look at what
    /// follows: entries that come late may be missed.
    public func summary() throws(DwarfError) -> DwarfSummary {
        var reading = try UnitReading(
            sections, code: CodeLayout(layout, architecture: architecture))
        return reading.look()
    }
}
