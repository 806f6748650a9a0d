import CallStacks

/// The names of functions whose entries are in the supplementary file of an image.
final class SupplementaryNames<Source: EntrySource> {
    private let units: OpenUnits<Source>
    private var lookup: FunctionNameLookup<Source>

    /// Returns `nil` if the image has no supplementary file, or if it is missing.
    ///
    /// - Parameter image: The sections of the image.
    init?(of image: DwarfSections, budget: WorkBudget) throws(DwarfError) {
        guard let file = image.supplement else { return nil }
        let source = try Source(file.sections, units: file.scan.units, budget: budget)
        units = OpenUnits(file.sections, scan: file.scan, source: source, budget: budget)
        lookup = FunctionNameLookup(units, budget: budget)
    }

    /// Returns the names of the function whose entry is at `offset` of `.debug_info`.
    func names(
        at offset: UInt64, for sink: inout any DebugRecordSink
    ) throws(DwarfError) -> FunctionNameLookup<Source>.Names {
        do throws(DwarfError) {
            guard let unit = try units.unit(containing: offset)
            else { throw DwarfError(.malformed("no entry at .debug_info+0x\(hex(offset))")) }
            let names = try lookup.names(at: .entry(offset), from: unit, for: &sink)
            if let fault = lookup.takeFault() { throw fault }
            return names
        } catch {
            if error.reason == .workBudget { throw error }
            throw DwarfError(.inSupplementaryFile(error))
        }
    }

    private func hex(_ offset: UInt64) -> String { String(offset, radix: 16) }
}
