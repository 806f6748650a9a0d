import CrashFiles
import SymbolStores

/// The files below a folder that lie where reports may, in the order of their paths. Links to files
/// are followed, links to folders are not.
struct FileTree {
    static let fileLimit = 100_000
    /// How many folders may lie in one another below the one that is given.
    static let depthLimit = 32

    /// Below the folder.
    private(set) var files: [String] = []
    /// How many files lie where no reports do.
    private(set) var passedCount = 0
    /// What could not be listed, one line each.
    private(set) var problems: [String] = []
    private let root: String
    /// What the root adds to places: those in a crash point count from there.
    private let prefix: String
    private var folders = [""]

    init(_ root: String) {
        self.root = root
        let name = AnswerOutput.name(of: root)
        prefix = ReportPlace.isCrashPoint(name) ? name + "/" : ""
        while let folder = folders.popLast() { list(folder) }
        files.sort()
    }

    static func isFolder(_ path: String) -> Bool {
        (try? FileStatus(of: path))?.kind == .folder
    }

    private mutating func list(_ folder: String) {
        do throws(SymbolStoreError) {
            for name in try folderEntries(of: folder.isEmpty ? root : "\(root)/\(folder)") {
                try add(folder.isEmpty ? name : "\(folder)/\(name)")
            }
        } catch {
            problems.append("\(error)")
        }
    }

    private mutating func add(_ path: String) throws(SymbolStoreError) {
        guard let status = try? FileStatus(of: "\(root)/\(path)", followingLinks: false)
        else { return }
        if status.kind == .folder {
            if ReportPlace.admits(folder: prefix + path) { try addFolder(path) }
        } else if (try? FileStatus(of: "\(root)/\(path)"))?.kind != .file
            || !ReportPlace.admits(file: prefix + path)
        {
            passedCount += 1
        } else if files.count < Self.fileLimit {
            files.append(path)
        } else {
            throw SymbolStoreError(
                root, "holds more than \(Self.fileLimit) files, the limit",
                next: "give folders in it")
        }
    }

    private mutating func addFolder(_ path: String) throws(SymbolStoreError) {
        guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < Self.depthLimit else {
            throw SymbolStoreError(
                "\(root)/\(path)", "lies in more than \(Self.depthLimit) folders, the limit",
                next: "give a folder in it")
        }
        folders.append(path)
    }
}
