public import DebugFiles

/// What the debug files below some paths hold, slice by slice.
public struct DebugFileInspection: Sendable {
    /// One slice with what its contents turned out to be.
    public struct Slice: Sendable {
        public let path: String
        public let file: DebugFile
        public let summary: DebugFileSummary
    }

    public private(set) var slices: [Slice] = []
    /// What could not be read.
    public private(set) var problems: [SymbolProblem]

    /// - Parameter paths: Debug files, `.dSYM` bundles, and folders of them at any depth.
    public init(paths: [String]) {
        let listing = DebugFileListing(paths: paths)
        problems = listing.problems
        for entry in listing {
            slices += entry.files.map {
                Slice(path: entry.path, file: $0, summary: $0.summary())
            }
            problems += entry.problems
        }
    }
}
