import Archives

/// Searches files, `.dSYM` bundles, archives and folders for debug files.
///
/// Candidates are recognised by their first bytes, so a search reads directory listings and one
/// page per file. Archives are read once, when they are unpacked.
struct DebugFileSearch {
    /// A file that may contain symbols.
    struct Candidate {
        let path: String
        /// The path to display. For an archive member, the archive's path followed by the member's.
        let name: String
        /// The status during the search, or `nil` for a file of an unpacked archive.
        let status: FileStatus?
        /// Whether the caller listed this file explicitly, rather than a folder that contains it.
        let isExplicit: Bool

        /// - Parameter name: The path to display, if it is not the path on disk.
        init(path: String, name: String? = nil, status: FileStatus?, isExplicit: Bool) {
            self.path = path
            self.name = shownPath(name ?? path)
            self.status = status
            self.isExplicit = isExplicit
        }
    }

    /// Each file once, in the order of the walk: the files of a folder before its subfolders, and
    /// each group by name.
    private(set) var files: [Candidate] = []
    /// Unreadable files, and folders listed explicitly that contain no debug file.
    private(set) var problems: [SymbolProblem] = []

    /// Bitcode symbol maps found on the way, which restore names hidden by bitcode builds.
    private(set) var symbolMaps = SymbolMaps()

    /// The files of archives that may name the build.
    private(set) var propertyLists = BundlePropertyLists()

    /// Prevent the removal of unpacked archives while their files are used.
    private(set) var leases: [ArchiveLease] = []

    /// The shared caches found, each once.
    private(set) var caches: [LocatedCache] = []

    /// File headers read by this search and earlier ones.
    private(set) var memory: FileHeaderCache

    private let archives: ArchiveFolder?
    /// The next step for an archive that is not unpacked.
    private let archiveSuggestion: String
    private var pending: [PendingFolder] = []
    private var seen: [FileStatus: FileSignature] = [:]
    private var walk = FolderWalk()
    private var linkedBundles: Set<FileStatus> = []
    /// The files of the shared caches found.
    private var cacheFiles: Set<String> = []
    /// The paths of main files that parts of caches need.
    private var missingMainFiles: Set<String> = []

    /// The maximum depth of subfolders.
    static let depthLimit = 128

    /// - Parameters:
    ///   - archives: The folder for unpacked archives. If it is `nil`, archives are problems.
    ///   - suggestion: The next step for an archive listed explicitly that is not unpacked.
    ///   - memory: Headers from earlier searches, used for files that have not changed.
    init(
        _ paths: [String], unpackingIn archives: ArchiveFolder? = nil,
        suggestingForArchives suggestion: String = "unpack it and pass the folder",
        knowing memory: FileHeaderCache = FileHeaderCache()
    ) {
        self.archives = archives
        archiveSuggestion = suggestion
        self.memory = memory
        for path in paths { visit(Self.withoutTrailingSlash(path)) }
    }

    /// Whether neither a debug file nor a shared cache was found.
    var isEmpty: Bool { files.isEmpty && caches.isEmpty }

    /// Visits a path listed by the caller, where a file without symbols is a failure.
    private mutating func visit(_ path: String) {
        do throws(SymbolStoreError) {
            let status = try FileStatus(of: path)
            switch status.kind {
            case .folder: visitTree(at: path, status: status)
            case .file: try addNamed(path, status: status)
            case .link, .other:
                throw SymbolStoreError(
                    path, detail: "is not a file or folder",
                    suggestion: "use a dSYM or a debug file")
            }
        } catch {
            problems.append(SymbolProblem(error, isExplicit: true))
        }
    }

    private mutating func addNamed(
        _ path: String, status: FileStatus
    ) throws(SymbolStoreError) {
        if SymbolMaps.isMap(path) { return symbolMaps.add(path, named: path) }
        let start = try memory.start(of: path, status)
        if start.isEmpty {
            throw SymbolStoreError(
                path, detail: "is empty", suggestion: "build or download it again")
        }
        guard seen.updateValue(start, forKey: status) == nil else { return }
        if FirmwareFile.recognises(path) { throw FirmwareFile.refusal(of: path) }
        if start == .sharedCache {
            try addCache(path)
        } else if let kind = start.archive {
            guard let archives else {
                throw SymbolStoreError(
                    path, detail: "is a \(kind.rawValue) archive", suggestion: archiveSuggestion)
            }
            let contents = try archives.contents(of: path, status: status)
            add(contents, isExplicit: true)
            if contents.files.isEmpty, contents.problems.isEmpty {
                problems.append(SymbolProblem(.nothingIn(path), isExplicit: false))
            }
        } else {
            files.append(Candidate(path: path, status: status, isExplicit: true))
        }
    }

    private mutating func visitTree(at root: String, status: FileStatus) {
        walk = FolderWalk()
        pending = [PendingFolder(path: root, status: status, depth: 0)]
        while let folder = pending.popLast() { visitFolder(folder) }
        for bundle in walk.emptyBundles where bundle != root {
            problems.append(SymbolProblem(.emptyBundle(bundle), isExplicit: false))
        }
        if !walk.foundDebugFile, walk.isReadable {
            problems.append(
                SymbolProblem(walk.nothingFound(below: root), isExplicit: false))
        }
    }

    private mutating func visitFolder(_ folder: PendingFolder) {
        let names: [String]
        do throws(SymbolStoreError) {
            names = try memory.names(in: folder.path, status: folder.status)
        } catch {
            walk.isReadable = walk.isReadable && folder.depth > 0
            problems.append(SymbolProblem(error, isExplicit: folder.depth == 0))
            return
        }
        walk.enter(folder.path)
        let firstOfThis = pending.count
        for name in names where !Self.isSkipped(name) {
            visitEntry("\(folder.path)/\(name)", depth: folder.depth + 1)
        }
        pending[firstOfThis...].reverse()
    }

    /// Visits an entry of a folder. Links to folders can lead anywhere, even to an enclosing
    /// folder, so only links to bundles are followed, and each bundle only once.
    private mutating func visitEntry(_ path: String, depth: Int) {
        do throws(SymbolStoreError) {
            let entry = try FileStatus(of: path, followingLinks: false)
            // Broken links are common in build folders.
            let status = entry.kind == .link ? try? FileStatus(of: path) : entry
            if let status, status.kind == .file {
                try add(path, status)
            } else if let status, entry.kind == .folder || isNewBundle(path, status: status) {
                guard depth <= Self.depthLimit else { throw SymbolStoreError.tooDeep(path) }
                pending.append(PendingFolder(path: path, status: status, depth: depth))
            } else if status == nil, FolderWalk.isBundle(path) {
                walk.enter(path)
            } else if let status, status.kind == .folder {
                walk.recordLink(path)
            }
        } catch {
            problems.append(SymbolProblem(error, isExplicit: false))
        }
    }

    private mutating func isNewBundle(_ path: String, status: FileStatus) -> Bool {
        status.kind == .folder && FolderWalk.isBundle(path)
            && linkedBundles.insert(status).inserted
    }

    private mutating func add(_ path: String, _ status: FileStatus) throws(SymbolStoreError) {
        if SymbolMaps.isPart(path) {
            if SymbolMaps.isMap(path) { walk.recordDebugFile(path) }
            return symbolMaps.add(path, named: path)
        }
        if let start = seen[status] {
            walk.add(path, start)
            return
        }
        let start = try memory.start(of: path, status)
        seen[status] = start
        if FirmwareFile.mayBe(path, start: start), FirmwareFile.recognises(path) {
            walk.recordDebugFile(path)
            throw FirmwareFile.refusal(of: path)
        }
        if start == .sharedCache {
            walk.recordDebugFile(path)
            try addFoundCache(path)
        } else if start.archive != nil, let archives {
            let contents = try archives.contents(of: path, status: status)
            add(contents, isExplicit: false)
            if !contents.files.isEmpty { walk.recordDebugFile(path) }
        } else {
            walk.add(path, start)
        }
        if start.isDebugFile {
            files.append(
                Candidate(path: path, status: status, isExplicit: false))
        }
    }

    /// Adds the cache that a file belongs to. Its other files are not visited again.
    private mutating func addCache(_ path: String) throws(SymbolStoreError) {
        guard !cacheFiles.contains(path) else { return }
        let found = try LocatedCache(path: path)
        cacheFiles.formUnion([path] + found.filePaths)
        guard !caches.contains(where: { $0.isSame(as: found) }) else { return }
        caches.append(found)
        problems += found.problems.map { SymbolProblem($0, isExplicit: false) }
    }

    /// Adds the cache that a file of a folder belongs to. If a main file is missing, it is reported
    /// once instead of each of its parts.
    private mutating func addFoundCache(_ path: String) throws(SymbolStoreError) {
        do throws(SymbolStoreError) { try addCache(path) } catch {
            guard let main = LocatedCache.mainFile(ofPart: path) else { throw error }
            if LocatedCache.isCache(main) {
                // A main file that cannot be read is reported when it is visited itself.
                if (try? LocatedCache(path: main)) == nil { return }
                throw error
            }
            guard missingMainFiles.insert(main).inserted else { return }
            throw SymbolStoreError(
                main, detail: "main file of a shared cache is missing",
                suggestion: "copy it as well")
        }
    }

    /// Adds the contents of an archive. Their problems are the archive's, if it was listed
    /// explicitly.
    private mutating func add(_ contents: ArchiveContents, isExplicit: Bool) {
        leases.append(contents.lease)
        for file in contents.files {
            if SymbolMaps.isPart(file.name) {
                symbolMaps.add(file.path, named: file.name)
            } else {
                files.append(
                    Candidate(
                        path: file.path, name: file.name, status: nil, isExplicit: false))
            }
        }
        for list in contents.propertyLists { propertyLists.add(list.path, named: list.name) }
        problems += contents.problems.map { SymbolProblem($0, isExplicit: isExplicit) }
        problems += contents.emptyBundles.map {
            SymbolProblem(.emptyBundle($0), isExplicit: false)
        }
    }

    /// Whether a name belongs to a file that archives and the Finder leave in folders.
    private static func isSkipped(_ name: String) -> Bool {
        name == "__MACOSX" || name == ".DS_Store" || name.hasPrefix("._")
    }

    private static func withoutTrailingSlash(_ path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}

/// A folder that is still to be listed.
private struct PendingFolder {
    let path: String
    let status: FileStatus
    /// The number of folders between it and the one that the caller listed.
    let depth: Int
}

extension SymbolStoreError {
    fileprivate static func emptyBundle(_ path: String) -> Self {
        Self(
            path, detail: "bundle contains no debug file", suggestion: "build or download it again")
    }

    fileprivate static func nothingIn(_ path: String) -> Self {
        Self(
            path, detail: "contains no debug file",
            suggestion: "use an archive of dSYMs or debug files")
    }

    fileprivate static func tooDeep(_ path: String) -> Self {
        Self(
            path, detail: "is more than \(DebugFileSearch.depthLimit) folders deep",
            suggestion: "pass its path too")
    }
}
