import CallStacks
import DebugFiles
import Problems
import SymbolStores

/// The output of `inspect --check`: each slice is indexed with both readers of debug information,
/// and every difference between the two indexes is listed. Object files and split units are
/// skipped: they have no index of their own, and split units are read together with their image.
struct InspectionCheck {
    private(set) var text = ""
    /// Whether any slice has a difference or could not be compared.
    private(set) var hasDifferences = false

    init(_ slices: [DebugFileInspection.Slice]) {
        let indexed = slices.filter { !$0.file.isPartOfImage }
        for slice in indexed { add(slice) }
        if indexed.isEmpty, !slices.isEmpty {
            text = "only object files and split units, which have no index of their own\n"
        }
    }

    private mutating func add(_ slice: DebugFileInspection.Slice) {
        text += "\(Console.oneLine(slice.path)) (\(slice.file.architecture.name)): "
        do {
            add(try IndexComparison(on: slice.file, name: slice.path))
        } catch let error as SymbolStoreError {
            addFailure(error.problem.of(nil).description)
        } catch {
            addFailure("\(error)")
        }
    }

    private mutating func addFailure(_ reason: String) {
        hasDifferences = true
        text += "not compared: \(Console.oneLine(reason))\n"
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

extension DebugFile {
    /// Whether the file has only the code or the units of a part of an image.
    fileprivate var isPartOfImage: Bool {
        kind.isObject || (splitUnits != nil && !hasDebugInformation)
    }
}
