import DebugFiles

extension DebugFileSearch {
    /// The files that people may mean who name the folder around them.
    ///
    /// Object files and units that were split off lie beside a linked file, and belong to it. Where
    /// nothing else lies, they are meant. Of a stripped file and its debug file the latter is meant.
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

    /// Why none of the files is the one that `path` stands for.
    func noSoleFile(in path: String) -> SymbolStoreError {
        let files = linkedFiles
        guard let first = files.first else {
            return problems.first?.error
                ?? SymbolStoreError(
                    path, "holds no debug file", next: "give a dSYM or a debug file")
        }
        return SymbolStoreError(
            path, "holds \(files.count) debug files",
            next: "give one of them, such as '\(first.path)'")
    }
}
