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
        let search = DebugFileSearch(paths)
        problems = search.problems
        for found in search.files { add(found) }
    }

    private mutating func add(_ found: DebugFileSearch.Candidate) {
        let contents = found.contents()
        for file in contents.files {
            slices.append(Slice(path: found.path, file: file, summary: file.summary()))
        }
        problems += contents.problems.map {
            SymbolProblem($0, isNamedByCaller: found.isNamedByCaller)
        }
    }
}
