import Archives

/// What an archive holds of debug files, and of maps of their names, unpacked.
struct ArchiveContents: Sendable {
    /// A debug file, or what ``SymbolMaps`` takes.
    struct File: Sendable {
        let path: String
        /// The path of the archive, and below it the path inside.
        let name: String
    }

    let files: [File]
    let problems: [SymbolStoreError]
    /// The `.dSYM` bundles without any debug file.
    let emptyBundles: [String]
    /// Keeps the files where they are.
    let lease: ArchiveLease
}

/// What is written beside the files of an archive, so that the next run need not unpack it.
struct ArchiveRecord: Codable, Sendable {
    struct File: Codable, Sendable {
        /// The name in the folder.
        let number: String
        /// The path inside the archive.
        let name: String
    }

    struct Problem: Codable, Sendable {
        /// The path inside the archive; empty for the archive itself.
        let entry: String
        let what: String
        let next: String?
    }

    private var files: [File] = []
    private var problems: [Problem] = []
    private var emptyBundles: [String] = []

    /// How many empty bundles are named.
    static let bundleLimit = 100

    /// Unpacks the debug files of an archive into a folder, which is made.
    init(
        unpacking path: String, into folder: String, limits: ArchiveLimits
    ) throws(SymbolStoreError) {
        var bundles = ArchiveBundles()
        let archive: UnpackedArchive
        do throws(ArchiveError) {
            archive = try UnpackedArchive(
                of: path, name: path, into: folder, limits: limits
            ) { entry in
                let start = FileStart(of: entry)
                bundles.note(entry.name, start)
                return start.isDebugFile || SymbolMaps.isPart(entry.name)
            }
        } catch {
            var problem = SymbolStoreError(
                error.subject, error.reason.what, next: error.reason.next)
            problem.isDiskFull = error.reason == .diskFull
            throw problem
        }
        files = archive.files.map { File(number: Self.fileName($0.path), name: $0.name) }
        problems = archive.problems.map { Problem($0, in: path) }
        if archive.unlistedProblemCount > 0 {
            let what = "has \(archive.unlistedProblemCount) more problems like these"
            problems.append(Problem(entry: "", what: what, next: nil))
        }
        emptyBundles = Array(bundles.empty.prefix(Self.bundleLimit))
    }

    private static func fileName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The contents by the name that the archive has now.
    func contents(of archive: String, in folder: String, _ lease: ArchiveLease) -> ArchiveContents {
        ArchiveContents(
            files: files.map {
                ArchiveContents.File(
                    path: "\(folder)/\($0.number)", name: "\(archive)/\($0.name)")
            },
            problems: problems.map {
                let subject = $0.entry.isEmpty ? archive : "\(archive)/\($0.entry)"
                return SymbolStoreError(subject, $0.what, next: $0.next)
            },
            emptyBundles: emptyBundles.map { "\(archive)/\($0)" }, lease: lease)
    }
}

extension ArchiveRecord.Problem {
    fileprivate init(_ error: ArchiveError, in archive: String) {
        entry =
            error.subject == archive ? "" : String(error.subject.dropFirst(archive.count + 1))
        what = error.reason.what
        next = error.reason.next
    }
}

/// The `.dSYM` bundles of an archive, as its entries name them.
private struct ArchiveBundles {
    private var walk = FolderWalk()
    private var entered: Set<Substring> = []

    var empty: [String] { walk.emptyBundles }

    mutating func note(_ entry: String, _ start: FileStart) {
        var path = entry[...]
        while let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            if FolderWalk.isBundle(String(path)), entered.insert(path).inserted {
                walk.enter(String(path))
            }
        }
        walk.note(entry, start)
    }
}
