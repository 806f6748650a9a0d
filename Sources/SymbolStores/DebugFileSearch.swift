import Archives

/// Finds the files below some paths that may hold symbols, by their first bytes.
///
/// A path may be a file, a `.dSYM` bundle, an archive or any folder of them. Nothing but folders and
/// the first bytes of each file is read, and archives once.
struct DebugFileSearch {
    /// A file that may hold symbols.
    struct Candidate {
        let path: String
        /// What people call it: its path, also inside an archive.
        let name: String
        /// As it was found; `nil` for a file of an unpacked archive.
        let status: FileStatus?
        /// Whether the caller named the file itself, and not a folder above it.
        let isNamedByCaller: Bool
    }

    /// Each file once, in the order of the walk: the files of a folder before its subfolders, and
    /// each group by name.
    private(set) var files: [Candidate] = []
    /// What could not be read, and named folders without any debug file.
    private(set) var problems: [SymbolProblem] = []

    /// The names that bitcode builds hid.
    private(set) var symbolMaps = SymbolMaps()

    /// Keep unpacked archives from being removed, as long as their files are used.
    private(set) var leases: [ArchiveLease] = []

    /// What earlier runs read, and this one.
    private(set) var memory: InventoryMemory

    private let archives: ArchiveFolder?
    private var pending: [PendingFolder] = []
    private var seen: [FileStatus: FileStart] = [:]
    private var walk = FolderWalk()
    private var linkedBundles: Set<FileStatus> = []

    /// The deepest subfolder of a named folder that is entered.
    static let depthLimit = 128

    /// - Parameters:
    ///   - archives: Where archives are unpacked; without it they are problems.
    ///   - memory: What need not be read again.
    init(
        _ paths: [String], unpackingIn archives: ArchiveFolder? = nil,
        knowing memory: InventoryMemory = InventoryMemory()
    ) {
        self.archives = archives
        self.memory = memory
        for path in paths { visit(Self.withoutTrailingSlash(path)) }
    }

    /// A path that the caller named: a file without symbols is a failure there.
    private mutating func visit(_ path: String) {
        do throws(SymbolStoreError) {
            let status = try FileStatus(of: path)
            switch status.kind {
            case .folder: visitTree(at: path, status)
            case .file: try addNamed(path, status)
            case .link, .other:
                throw SymbolStoreError(
                    path, "is neither a file nor a folder", next: "give a dSYM or a debug file")
            }
        } catch {
            problems.append(SymbolProblem(error, isNamedByCaller: true))
        }
    }

    private mutating func addNamed(
        _ path: String, _ status: FileStatus
    ) throws(SymbolStoreError) {
        if SymbolMaps.isMap(path) { return symbolMaps.note(path, named: path) }
        let start = try memory.start(of: path, status)
        if start.isEmpty {
            throw SymbolStoreError(path, "is empty", next: "build or download it again")
        }
        guard seen.updateValue(start, forKey: status) == nil else { return }
        if let kind = start.archive {
            guard let archives else { throw .packed(path, kind) }
            let contents = try archives.contents(of: path, status)
            add(contents, isNamedByCaller: true)
            if contents.files.isEmpty, contents.problems.isEmpty { throw .nothingIn(path) }
        } else {
            files.append(Candidate(path: path, name: path, status: status, isNamedByCaller: true))
        }
    }

    private mutating func visitTree(at root: String, _ status: FileStatus) {
        walk = FolderWalk()
        pending = [PendingFolder(path: root, status: status, depth: 0)]
        while let folder = pending.popLast() { visitFolder(folder) }
        for bundle in walk.emptyBundles where bundle != root {
            problems.append(SymbolProblem(.emptyBundle(bundle), isNamedByCaller: false))
        }
        if !walk.foundDebugFile, walk.isReadable {
            problems.append(
                SymbolProblem(walk.nothingFound(below: root), isNamedByCaller: false))
        }
    }

    private mutating func visitFolder(_ folder: PendingFolder) {
        let names: [String]
        do throws(SymbolStoreError) {
            names = try memory.names(in: folder.path, folder.status)
        } catch {
            walk.isReadable = walk.isReadable && folder.depth > 0
            problems.append(SymbolProblem(error, isNamedByCaller: folder.depth == 0))
            return
        }
        walk.enter(folder.path)
        let firstOfThis = pending.count
        for name in names where !Self.isSkipped(name) {
            visitEntry("\(folder.path)/\(name)", depth: folder.depth + 1)
        }
        pending[firstOfThis...].reverse()
    }

    /// An entry of a folder. Links to folders may lead anywhere, even back: only those to bundles
    /// are followed, to each bundle once.
    private mutating func visitEntry(_ path: String, depth: Int) {
        do throws(SymbolStoreError) {
            let entry = try FileStatus(of: path, followingLinks: false)
            // A link that leads nowhere is usual in folders that builds leave.
            let status = entry.kind == .link ? try? FileStatus(of: path) : entry
            if let status, status.kind == .file {
                try add(path, status)
            } else if let status, entry.kind == .folder || isNewBundle(path, status) {
                guard depth <= Self.depthLimit else { throw SymbolStoreError.tooDeep(path) }
                pending.append(PendingFolder(path: path, status: status, depth: depth))
            } else if status == nil, FolderWalk.isBundle(path) {
                walk.enter(path)
            }
        } catch {
            problems.append(SymbolProblem(error, isNamedByCaller: false))
        }
    }

    private mutating func isNewBundle(_ path: String, _ status: FileStatus) -> Bool {
        status.kind == .folder && FolderWalk.isBundle(path)
            && linkedBundles.insert(status).inserted
    }

    private mutating func add(_ path: String, _ status: FileStatus) throws(SymbolStoreError) {
        if SymbolMaps.isPart(path) {
            if SymbolMaps.isMap(path) { walk.noteDebugFile(path) }
            return symbolMaps.note(path, named: path)
        }
        if let start = seen[status] {
            walk.note(path, start)
            return
        }
        let start = try memory.start(of: path, status)
        seen[status] = start
        if start.archive != nil, let archives {
            let contents = try archives.contents(of: path, status)
            add(contents, isNamedByCaller: false)
            if !contents.files.isEmpty { walk.noteDebugFile(path) }
        } else {
            walk.note(path, start)
        }
        if start.isDebugFile {
            files.append(
                Candidate(path: path, name: path, status: status, isNamedByCaller: false))
        }
    }

    /// What is wrong in an archive is a failure of the archive, if that was named.
    private mutating func add(_ contents: ArchiveContents, isNamedByCaller: Bool) {
        leases.append(contents.lease)
        for file in contents.files {
            if SymbolMaps.isPart(file.name) {
                symbolMaps.note(file.path, named: file.name)
            } else {
                files.append(
                    Candidate(
                        path: file.path, name: file.name, status: nil, isNamedByCaller: false))
            }
        }
        problems += contents.problems.map { SymbolProblem($0, isNamedByCaller: isNamedByCaller) }
        problems += contents.emptyBundles.map {
            SymbolProblem(.emptyBundle($0), isNamedByCaller: false)
        }
    }

    /// What archives and the Finder leave in folders.
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
    /// How many folders lie between it and the one that the caller named.
    let depth: Int
}

extension SymbolStoreError {
    fileprivate static func emptyBundle(_ path: String) -> Self {
        Self(path, "bundle holds no debug file", next: "build or download it again")
    }

    fileprivate static func packed(_ path: String, _ kind: ArchiveKind) -> Self {
        Self(path, "is a \(kind.rawValue) archive", next: "unpack it and give the folder")
    }

    fileprivate static func nothingIn(_ path: String) -> Self {
        Self(
            path, "holds no debug file",
            next: "give an archive of dSYMs or debug files")
    }

    fileprivate static func tooDeep(_ path: String) -> Self {
        Self(
            path, "lies deeper than \(DebugFileSearch.depthLimit) folders",
            next: "name it with a path of its own")
    }
}
