public import DebugFiles

/// The debug files below some paths with their headers, opened one after another.
///
/// A file stays mapped only as long as its entry exists, so a folder may contain more files than
/// fit into memory.
public struct DebugFileListing: Sequence {
    /// A file that may contain symbols.
    public struct Entry: Sendable {
        public let path: String
        /// The path to display. For an archive member, the archive's path followed by the member's.
        public let name: String
        /// The slices whose headers can be read.
        public let files: [DebugFile]
        public let problems: [SymbolProblem]
        /// Whether the caller listed this file explicitly, rather than a folder that contains it.
        let isExplicit: Bool
    }

    /// Unreadable files, and folders listed explicitly that contain no debug file.
    public let problems: [SymbolProblem]
    /// The shared caches among the files.
    public let caches: [LocatedCache]
    /// The files of archives that may name the build.
    public let propertyLists: BundlePropertyLists
    private let candidates: [DebugFileSearch.Candidate]
    /// Prevent the removal of unpacked archives while their files are used.
    let leases: [ArchiveLease]
    /// The symbol maps, which restore names hidden by bitcode builds.
    let symbolMaps: SymbolMaps

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: The folder for unpacked archives. If it is `nil`, archives are problems.
    public init(paths: [String], unpackingIn archives: ArchiveFolder? = nil) {
        self.init(DebugFileSearch(paths, unpackingIn: archives))
    }

    /// - Parameter suggestion: The next step for an archive, which is not unpacked.
    init(paths: [String], suggestingForArchives suggestion: String) {
        self.init(DebugFileSearch(paths, suggestingForArchives: suggestion))
    }

    private init(_ search: DebugFileSearch) {
        problems = search.problems
        candidates = search.files
        caches = search.caches
        propertyLists = search.propertyLists
        leases = search.leases
        symbolMaps = search.symbolMaps
    }

    /// The files of ``symbolMaps``, sorted by name. Their contents are unchecked.
    public var symbolMapFiles: [SymbolMapFile] { symbolMaps.files }

    public func makeIterator() -> some IteratorProtocol<Entry> {
        candidates.lazy.map { found in
            let contents = found.contents()
            return Entry(
                path: found.path, name: found.name, files: contents.files,
                problems: contents.problems.map {
                    SymbolProblem($0, isExplicit: found.isExplicit)
                }, isExplicit: found.isExplicit)
        }.makeIterator()
    }
}
