import CallStacks
public import DebugFiles
import Problems

/// The contents of the debug files below some paths, slice by slice.
public struct DebugFileInspection: Sendable {
    /// A slice with its contents and warnings.
    public struct Slice: Sendable {
        /// The path of the file, which may be inside an archive.
        public let path: String
        public let file: DebugFile
        public let summary: DebugFileSummary
        /// The `.bcsymbolmap` with the names that the build hid, or `nil` if none was found.
        public var symbolMap: String? { (symbolMapFiles.last?.path).map(shownPath) }
        /// The map, after the property list that refers to it if there is one.
        public let symbolMapFiles: [SymbolMapFile]
        /// The files that it was read together with: split units and a supplementary file, by their
        /// paths on disk and their names.
        public let companions: [(path: String, name: String)]
        /// The warnings about the contents and the files next to it.
        public fileprivate(set) var warnings: [DebugFileWarning]

        /// Whether names are hidden and no symbol map restores them.
        public var hidesNames: Bool { warnings.contains { $0.code == .hiddenSymbols } }
    }

    public private(set) var slices: [Slice] = []
    /// The shared caches among the files, whose images are not read one by one.
    public let caches: [LocatedCache]
    /// The files that could not be read.
    public private(set) var problems: [SymbolProblem]
    /// Prevents the removal of unpacked archives.
    private let leases: [ArchiveLease]

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: The folder for unpacked archives. If it is `nil`, archives are problems.
    public init(paths: [String], unpackingIn archives: ArchiveFolder? = nil) {
        let listing = DebugFileListing(paths: paths, unpackingIn: archives)
        problems = listing.problems
        caches = listing.caches
        leases = listing.leases
        var found: [(entry: DebugFileListing.Entry, file: DebugFile)] = []
        var splitFiles = SplitFileInventory()
        var supplements: [ImageID: [SplitFileInventory.File]] = [:]
        for entry in listing {
            found += entry.files.map { (entry, $0) }
            splitFiles.add(entry)
            for file in entry.files where file.kind == .elfSupplement {
                guard let id = file.id else { continue }
                supplements[id, default: []].append(
                    SplitFileInventory.File(path: entry.path, name: entry.name))
            }
            problems += entry.problems
        }
        for (entry, file) in found {
            let joined = JoinedDebugFile(
                file, at: entry.path, with: splitFiles,
                supplements: file.supplementLink?.id.flatMap { supplements[$0] } ?? [],
                isExplicit: entry.isExplicit)
            slices.append(Slice(joined, at: entry.name, maps: listing.symbolMaps))
        }
        if slices.isEmpty, caches.isEmpty, problems.isEmpty, let path = paths.first {
            let error = SymbolStoreError(
                path, detail: "contains symbol maps but no debug file",
                suggestion: "pass the dSYMs of the build too")
            problems = [SymbolProblem(error, isExplicit: false)]
        }
        let mismatches = IdentityMismatches(among: slices)
        for index in slices.indices {
            slices[index].warnings += mismatches.warnings(about: slices[index])
        }
    }
}

extension DebugFileInspection {
    /// Whether to inspect a path as a debug file, even if only to report what is wrong with it:
    /// every path except files that start like another format.
    public static func takes(_ path: String) -> Bool {
        if FirmwareFile.recognises(path) { return true }
        guard let start = try? FileSignature(of: path), start == .other, !SymbolMaps.isMap(path),
            let bytes = try? MappedFile.bytes(of: path)
        else { return true }
        do throws(DebugFileError) {
            _ = try DebugFile.slices(of: bytes, name: path)
            return true
        } catch { return error.reason != .unrecognised }
    }

    /// Whether a path is a debug file, or a folder or an archive with one.
    ///
    /// - Parameter archives: The folder for unpacked archives.
    public static func findsAny(in path: String, unpackingIn archives: ArchiveFolder?) -> Bool {
        guard let kind = try? FileStatus(of: path).kind, kind != .other else { return false }
        let start = kind == .file ? try? FileSignature(of: path) : nil
        if start?.isDebugFile == true || start == .sharedCache { return true }
        guard kind == .folder || start?.archive != nil else { return false }
        return !DebugFileSearch([path], unpackingIn: archives).isEmpty
    }

    /// Whether a folder or an archive contains no debug file, so that it may contain reports.
    ///
    /// - Parameter archives: The folder for unpacked archives.
    public static func findsNone(in path: String, unpackingIn archives: ArchiveFolder?) -> Bool {
        guard let kind = try? FileStatus(of: path).kind,
            kind == .folder || (try? FileSignature(of: path))?.archive != nil,
            !FirmwareFile.recognises(path)
        else { return false }
        return DebugFileSearch([path], unpackingIn: archives).isEmpty
    }
}

extension DebugFileInspection.Slice {
    fileprivate init(_ joined: JoinedDebugFile, at path: String, maps: SymbolMaps) {
        let file = joined.file
        var summary = file.summary()
        var problem: [DebugFileWarning] = []
        let mapFiles = summary.hiddenNameCount > 0 ? file.id.map(maps.files(for:)) ?? [] : []
        if let map = mapFiles.last {
            do throws(SymbolStoreError) {
                summary = summary.named(by: try BitcodeSymbolMap(path: map.path))
            } catch { problem = [DebugFileWarning(.hiddenSymbols, error.description)] }
        }
        self.path = path
        self.file = file
        companions = joined.parts.map { ($0.file.path, $0.file.name) }
        self.summary = summary
        symbolMapFiles = mapFiles
        warnings = summary.warnings + problem
    }

    /// The name of the file.
    var fileName: Substring { path.split(separator: "/").last ?? "" }

    /// Whether the file has the name of an image, apart from the suffixes of debug files.
    func isNamed(_ image: some StringProtocol) -> Bool {
        ([""] + debugFileSuffixes).contains { fileName == image + $0 }
    }
}
