public import DebugFiles

/// The debug files below some paths, by their headers, opened one after the other.
///
/// A file stays mapped only as long as its entry is kept, so a folder may hold more of them than fit
/// into memory.
public struct DebugFileListing: Sequence {
    /// One file that may hold symbols.
    public struct Entry: Sendable {
        public let path: String
        /// Its slices, as far as their headers can be read.
        public let files: [DebugFile]
        public let problems: [SymbolProblem]
    }

    /// What could not be read, and named folders without any debug file.
    public let problems: [SymbolProblem]
    private let candidates: [DebugFileSearch.Candidate]

    /// - Parameter paths: Debug files, `.dSYM` bundles, and folders of them at any depth.
    public init(paths: [String]) {
        let search = DebugFileSearch(paths)
        problems = search.problems
        candidates = search.files
    }

    public func makeIterator() -> some IteratorProtocol<Entry> {
        candidates.lazy.map { found in
            let contents = found.contents()
            return Entry(
                path: found.path, files: contents.files,
                problems: contents.problems.map {
                    SymbolProblem($0, isNamedByCaller: found.isNamedByCaller)
                })
        }.makeIterator()
    }
}
