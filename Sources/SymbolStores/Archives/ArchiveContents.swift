import Archives

/// The unpacked debug files, bitcode symbol maps and property lists of an archive.
struct ArchiveContents: Sendable {
    /// A debug file, or a file that ``SymbolMaps`` or ``BundlePropertyLists`` reads.
    struct File: Sendable {
        let path: String
        /// The path of the archive, followed by the path inside it.
        let name: String
    }

    let files: [File]
    let propertyLists: [File]
    let problems: [SymbolStoreError]
    /// The `.dSYM` bundles without any debug file.
    let emptyBundles: [String]
    /// Prevents the removal of the files.
    let lease: ArchiveLease
}

/// A record that is stored with the unpacked files, so that the next run does not have to unpack
/// the archive.
struct UnpackingRecord: Codable, Sendable {
    struct File: Codable, Sendable {
        /// The file name in the folder.
        let number: String
        /// The path inside the archive.
        let name: String
    }

    struct EntryProblem: Codable, Sendable {
        /// The path inside the archive; empty for the archive itself.
        let entry: String
        let detail: String
        let suggestion: String?
    }

    private var files: [File] = []
    private var problems: [EntryProblem] = []
    private var emptyBundles: [String] = []

    /// The maximum number of empty bundles that are named.
    static let bundleLimit = 100

    /// Unpacks the debug files of an archive into a new folder.
    init(
        unpacking path: String, into folder: String, limits: UnpackingLimits
    ) throws(SymbolStoreError) {
        var bundles = ArchiveBundles()
        var hasCache = false
        let archive: UnpackedArchive
        do throws(ArchiveError) {
            archive = try UnpackedArchive(
                of: path, name: path, into: folder, limits: limits
            ) { entry in
                let start = FileSignature(of: entry)
                bundles.add(entry.name, start)
                hasCache = hasCache || start == .sharedCache
                return start.isDebugFile || SymbolMaps.isPart(entry.name)
                    || BundlePropertyLists.isPart(entry.name)
            }
        } catch {
            throw SymbolStoreError(error.problem, isDiskFull: error.reason == .diskFull)
        }
        files = archive.files.map { File(number: Self.fileName($0.path), name: $0.name) }
        problems = archive.problems.map { EntryProblem($0, in: path) }
        if hasCache { problems.append(.sharedCache) }
        if archive.unlistedProblemCount > 0 {
            let detail = "has \(archive.unlistedProblemCount) more problems like these"
            problems.append(EntryProblem(entry: "", detail: detail, suggestion: nil))
        }
        emptyBundles = Array(bundles.empty.prefix(Self.bundleLimit))
    }

    private static func fileName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns the contents under the archive's current name.
    func contents(of archive: String, in folder: String, lease: ArchiveLease) -> ArchiveContents {
        let all = files.map { file in
            (
                isList: BundlePropertyLists.isPart(file.name),
                file: ArchiveContents.File(
                    path: "\(folder)/\(file.number)", name: "\(archive)/\(file.name)")
            )
        }
        return ArchiveContents(
            files: all.filter { !$0.isList }.map(\.file),
            propertyLists: all.filter(\.isList).map(\.file),
            problems: problems.map {
                let subject = $0.entry.isEmpty ? archive : "\(archive)/\($0.entry)"
                return SymbolStoreError(subject, detail: $0.detail, suggestion: $0.suggestion)
            },
            emptyBundles: emptyBundles.map { "\(archive)/\($0)" }, lease: lease)
    }
}

extension UnpackingRecord.EntryProblem {
    /// A cache is read in place, so it is not unpacked.
    fileprivate static let sharedCache = Self(
        entry: "", detail: "contains a shared cache",
        suggestion: "unpack it and pass its folder to --symbols, 'symbolist system add' or "
            + "'symbolist upload --system'")

    fileprivate init(_ error: ArchiveError, in archive: String) {
        entry =
            error.subject == archive ? "" : String(error.subject.dropFirst(archive.count + 1))
        detail = error.reason.detail
        suggestion = error.reason.suggestion
    }
}

/// The `.dSYM` bundles of an archive, by the names of its entries.
private struct ArchiveBundles {
    private var walk = FolderWalk()
    private var entered: Set<Substring> = []

    var empty: [String] { walk.emptyBundles }

    mutating func add(_ entry: String, _ start: FileSignature) {
        var path = entry[...]
        while let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            if FolderWalk.isBundle(String(path)), entered.insert(path).inserted {
                walk.enter(String(path))
            }
        }
        walk.add(entry, start)
    }
}
