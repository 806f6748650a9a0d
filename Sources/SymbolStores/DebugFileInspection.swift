public import CallStacks
public import DebugFiles

/// What the debug files below some paths hold, slice by slice.
public struct DebugFileInspection: Sendable {
    /// One slice with what its contents turned out to be.
    public struct Slice: Sendable {
        /// The path of its file, also inside an archive.
        public let path: String
        public let file: DebugFile
        public let summary: DebugFileSummary
        /// The `.bcsymbolmap` with the names that its build hid, if it is there.
        public let symbolMap: String?
        /// What its contents and the files beside it give reason to say.
        public fileprivate(set) var warnings: [DebugFileWarning]
    }

    public private(set) var slices: [Slice] = []
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
        for entry in listing {
            slices += entry.files.map { Slice($0, at: entry.name, listing.symbolMaps) }
            problems += entry.problems
        }
        let mismatches = IdentityMismatches(among: slices)
        for index in slices.indices {
            slices[index].warnings += mismatches.warnings(about: slices[index])
        }
    }
}

extension DebugFileInspection.Slice {
    fileprivate init(_ file: DebugFile, at path: String, _ maps: SymbolMaps) {
        var summary = file.summary()
        var problem: [DebugFileWarning] = []
        symbolMap = summary.hiddenNameCount > 0 ? file.id.flatMap(maps.path(for:)) : nil
        if let symbolMap {
            do throws(SymbolStoreError) {
                summary = summary.named(by: try BitcodeSymbolMap(path: symbolMap))
            } catch { problem = [DebugFileWarning(.hiddenSymbols, error.description)] }
        }
        self.path = path
        self.file = file
        self.summary = summary
        warnings = summary.warnings + problem
    }

    /// The name of its file.
    var fileName: Substring { path.split(separator: "/").last ?? "" }

    /// Whether it is called as an image is, but for the endings of debug files.
    func isNamed(_ image: some StringProtocol) -> Bool {
        ["", ".debug", ".dbg"].contains { fileName == image + $0 }
    }
}
