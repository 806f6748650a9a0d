import CallStacks
import DebugFiles
import SymbolStores

/// The output of `inspect --check`: each slice is indexed with both readers of debug information,
/// and every difference between the two indexes is listed.
struct InspectionCheck {
    private(set) var text = ""
    /// Whether any slice has a difference or could not be compared.
    private(set) var hasDifferences = false

    init(_ slices: [DebugFileInspection.Slice]) {
        for slice in slices { add(slice) }
    }

    private mutating func add(_ slice: DebugFileInspection.Slice) {
        text += "\(slice.path) (\(slice.file.architecture.name)): "
        do {
            add(try IndexComparison(on: slice.file, name: slice.path))
        } catch {
            hasDifferences = true
            text += "not compared: \(error)\n"
        }
    }

    private mutating func add(_ opinion: IndexComparison) {
        if let reason = opinion.libdwarfReason {
            text += "only libdwarf reads it: \(reason)\n"
            return
        }
        if opinion.isUnanimous {
            text += "both readers agree\n"
            return
        }
        hasDifferences = true
        text += "\(opinion.differences.count) lines differ\n"
        for difference in opinion.differences {
            let reader = difference.isOfLibDwarf ? "libdwarf" : "mapped"
            text += "  \(reader) \(difference.lineNumber): \(difference.text)\n"
        }
    }
}
