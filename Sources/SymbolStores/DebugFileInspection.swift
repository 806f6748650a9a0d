public import DebugFiles

/// What the debug files below some paths hold, slice by slice.
public struct DebugFileInspection: Sendable {
    /// One slice with what its contents turned out to be.
    public struct Slice: Sendable {
        /// The path of its file, also inside an archive.
        public let path: String
        public let file: DebugFile
        public let summary: DebugFileSummary
    }

    public let slices: [Slice]
    /// What could not be read.
    public private(set) var problems: [SymbolProblem]
    /// Keeps unpacked archives from being removed.
    private let leases: [ArchiveLease]

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: Where archives are unpacked; without it they are problems.
    public init(paths: [String], unpackingIn archives: ArchiveFolder? = nil) {
        let listing = DebugFileListing(paths: paths, unpackingIn: archives)
        problems = listing.problems
        leases = listing.leases
        var found: [(entry: DebugFileListing.Entry, file: DebugFile)] = []
        var splitFiles = SplitFileInventory()
        for entry in listing {
            found += entry.files.map { (entry, $0) }
            splitFiles.add(entry)
            problems += entry.problems
        }
        slices = found.map { entry, file in
            let joined = JoinedDebugFile(file, at: entry.path, with: splitFiles).file
            return Slice(path: entry.name, file: joined, summary: joined.summary())
        }
    }
}
