public import CallStacks

extension DwarfReader {
    /// Reads only the units that may describe code at some of `offsets`. Reading a few units of a
    /// large file takes a fraction of the time of ``read(into:)``.
    ///
    /// Units are selected by their own entries, and not by a separate table: `.debug_aranges`,
    /// `.debug_names` and `.gdb_index` may be missing or incomplete, or describe other units.
    ///
    /// - Returns: `nil` if a unit's own entry can only be read through libdwarf, if no unit
    ///   describes code at these offsets, or if too many do.
    public func read(
        at offsets: [ImageOffset], into sink: inout some DebugRecordSink
    ) throws(DwarfError) -> DwarfSummary? {
        let scan = try scan()
        guard refusal(of: scan) == nil else { return nil }
        let pool = WorkPool(size: byteCount)
        let units = try reading(scan, pool: pool, through: MappedSource.self)
            .units(describing: offsets.sorted())
        let size = units.reduce(0) { $0 + scan.units[$1].size }
        guard !units.isEmpty, size <= excerptBytesLimit else { return nil }
        let notes = try withAnySink(&sink) { (sink) throws(DwarfError) in
            try read(UnitQueue(only: units), of: scan, pool, usesLibDwarf: false, into: &sink)
        }
        return DwarfSummary([notes], of: scan)
    }
}
