import DebugFiles
import SymbolStores
import Symbolication

/// Warnings about files that were not read, without which the indexes used in a run lack names or
/// inlined calls: one for each kind of file.
struct MissingFileWarnings {
    private var images: [DebugFileWarning.Code: [String]] = [:]

    /// Adds the indexes that a provider has used.
    mutating func add(_ provider: any SymbolProvider) async {
        let found: [DebugFileWarning.Code: [String]] =
            switch provider {
            case let local as LocalSymbolProvider: await local.imagesLackingFiles
            case let installed as InstalledSymbolProvider: await installed.imagesLackingFiles
            default: [:]
            }
        images.merge(found) { $0 + $1 }
    }

    func report() {
        report(
            .splitDwarfMissing, "functions and inlined calls are in .dwo files that were not found",
            suggestion: "add them or the .dwp with --symbols")
        report(
            .dwzAlternateMissing, "some names are in a dwz file that was not found",
            suggestion: "add it with --symbols")
    }

    private func report(
        _ code: DebugFileWarning.Code, _ detail: String, suggestion: String
    ) {
        guard let names = images[code], !names.isEmpty else { return }
        let subject = Set(names).sorted().joined(separator: ", ")
        Console.problem(SymbolStoreError(subject, detail: detail, suggestion: suggestion))
    }
}
