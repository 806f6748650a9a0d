import DebugFiles

extension DebugFileSearch {
    /// The files that the path of their folder may refer to.
    ///
    /// Object files and split units next to a linked file belong to it, and count only if there is
    /// no linked file. Of a stripped file and its debug file, the debug file counts.
    var linkedFiles: [Candidate] {
        guard files.count > 1 else { return files }
        let linked = files.map { (candidate: $0, slices: $0.contents().files) }
            .filter { $0.slices.isEmpty || !$0.slices.allSatisfy(\.kind.isObject) }
        guard let first = linked.first else { return files }
        let image = first.slices.first?.id
        let isOneImage = linked.allSatisfy { $0.slices.count == 1 && $0.slices[0].id == image }
        if isOneImage, image != nil {
            let whole = linked.first { $0.slices[0].hasDebugInformation }
            return [(whole ?? first).candidate]
        }
        return linked.map(\.candidate)
    }

    /// Returns why `path` does not refer to exactly one file.
    func noSoleFile(in path: String) -> SymbolStoreError {
        let files = linkedFiles
        guard let first = files.first else {
            return problems.first?.error
                ?? SymbolStoreError(
                    path, detail: "contains no debug file", suggestion: "use a dSYM or a debug file"
                )
        }
        return SymbolStoreError(
            path, detail: "contains \(files.count) debug files",
            suggestion: "use one of them, such as '\(first.path)'")
    }
}
