import CallStacks
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

        /// Whether names are hidden that nothing here tells.
        public var hidesNames: Bool { warnings.contains { $0.code == .hiddenSymbols } }
    }

    public private(set) var slices: [Slice] = []
    /// What could not be read.
    public private(set) var problems: [SymbolProblem]
    /// Keeps unpacked archives from being removed.
    private let leases: [ArchiveLease]

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: Where archives are unpacked; without it they are problems.
    ///   - joinsParts: Whether files are read with what was split off from them.
    public init(
        paths: [String], unpackingIn archives: ArchiveFolder? = nil, joinsParts: Bool = true
    ) {
        let listing = DebugFileListing(paths: paths, unpackingIn: archives)
        problems = listing.problems
        leases = listing.leases
        var found: [(entry: DebugFileListing.Entry, file: DebugFile)] = []
        var splitFiles = SplitFileInventory()
        for entry in listing {
            found += entry.files.map { (entry, $0) }
            if joinsParts { splitFiles.add(entry) }
            problems += entry.problems
        }
        for (entry, file) in found {
            let joined = JoinedDebugFile(file, at: entry.path, with: splitFiles).file
            slices.append(Slice(joined, at: entry.name, listing.symbolMaps))
        }
        if slices.isEmpty, problems.isEmpty, let path = paths.first {
            let error = SymbolStoreError(
                path, "holds maps of names and no debug file",
                next: "give the dSYMs of the build too")
            problems = [SymbolProblem(error, isNamedByCaller: false)]
        }
        let mismatches = IdentityMismatches(among: slices)
        for index in slices.indices {
            slices[index].warnings += mismatches.warnings(about: slices[index])
        }
    }
}

extension DebugFileInspection {
    /// Whether something that was named is for an inspection of debug files, if only to be told what is
    /// wrong with it: all but files that begin as something else.
    public static func takes(_ path: String) -> Bool {
        guard let start = try? FileStart(of: path), start == .other, !SymbolMaps.isMap(path),
            let bytes = try? MappedFile.bytes(of: path)
        else { return true }
        do throws(DebugFileError) {
            _ = try DebugFile.slices(of: bytes, name: path)
            return true
        } catch { return error.reason != .unrecognised }
    }

    /// Whether a path is a debug file, or a folder or an archive that holds one.
    ///
    /// - Parameter archives: As for ``init(paths:unpackingIn:)``.
    public static func holdsAny(_ path: String, unpackingIn archives: ArchiveFolder?) -> Bool {
        guard let kind = try? FileStatus(of: path).kind, kind != .other else { return false }
        let start = kind == .file ? try? FileStart(of: path) : nil
        if start?.isDebugFile == true { return true }
        guard kind == .folder || start?.archive != nil else { return false }
        return !DebugFileSearch([path], unpackingIn: archives).files.isEmpty
    }

    /// Whether a folder or an archive holds no debug file, so that it may be one of reports.
    ///
    /// - Parameter archives: As for ``init(paths:unpackingIn:)``.
    public static func holdsNone(_ path: String, unpackingIn archives: ArchiveFolder?) -> Bool {
        guard let kind = try? FileStatus(of: path).kind,
            kind == .folder || (try? FileStart(of: path))?.archive != nil
        else { return false }
        return DebugFileSearch([path], unpackingIn: archives).files.isEmpty
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
