public import DebugFiles

/// The debug files below some paths, by their headers, opened one after the other.
///
/// A file stays mapped only as long as its entry is kept, so a folder may hold more of them than fit
/// into memory.
public struct DebugFileListing: Sequence {
    /// One file that may hold symbols.
    public struct Entry: Sendable {
        public let path: String
        /// What people call it: its path, also inside an archive.
        public let name: String
        /// Its slices, as far as their headers can be read.
        public let files: [DebugFile]
        public let problems: [SymbolProblem]
        /// Whether the caller named the file itself, and not a folder above it.
        let isNamedByCaller: Bool
    }

    /// What could not be read, and named folders without any debug file.
    public let problems: [SymbolProblem]
    private let candidates: [DebugFileSearch.Candidate]
    /// Keep unpacked archives from being removed, as long as their files are used.
    let leases: [ArchiveLease]
    /// The names that bitcode builds hid.
    let symbolMaps: SymbolMaps

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: Where archives are unpacked; without it they are problems.
    public init(paths: [String], unpackingIn archives: ArchiveFolder? = nil) {
        let search = DebugFileSearch(paths, unpackingIn: archives)
        problems = search.problems
        candidates = search.files
        leases = search.leases
        symbolMaps = search.symbolMaps
    }

    public func makeIterator() -> some IteratorProtocol<Entry> {
        candidates.lazy.map { found in
            let contents = found.contents()
            return Entry(
                path: found.path, name: found.name, files: contents.files,
                problems: contents.problems.map {
                    SymbolProblem($0, isNamedByCaller: found.isNamedByCaller)
                }, isNamedByCaller: found.isNamedByCaller)
        }.makeIterator()
    }
}
