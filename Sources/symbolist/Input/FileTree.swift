import LogExtraction
import Problems
import StackRendering
import SymbolStores

/// The files below a folder that may be reports, judging by their paths, sorted by path. Links to
/// files are followed, but links to folders are not.
struct FileTree {
    static let fileLimit = 100_000
    /// The maximum depth of subfolders.
    static let depthLimit = 32

    /// The paths relative to the folder.
    private(set) var files: [String] = []
    /// The number of files that cannot be reports, judging by their paths.
    private(set) var passedCount = 0
    /// The maximum number of links to folders that messages name.
    static let linkLimit = 10
    private var links: [String] = []
    private var unnamedLinkCount = 0
    /// The folders that could not be listed.
    private(set) var problems: [Problem] = []
    private let root: String
    /// The prefix for relative paths if the root is part of the layout, as for an Xcode crash
    /// point.
    private let prefix: String
    private var folders = [""]

    init(_ root: String) {
        self.root = root
        let name = OutputWriter.name(of: root)
        prefix = ReportFileFilter.isCrashPoint(name) ? name + "/" : ""
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
            problems.append(error.problem)
        }
    }

    private mutating func add(_ path: String) throws(SymbolStoreError) {
        guard let status = try? FileStatus(of: "\(root)/\(path)", followingLinks: false)
        else { return }
        if status.kind == .folder {
            if ReportFileFilter.admits(folder: prefix + path) { try addFolder(path) }
            return
        }
        let target = try? FileStatus(of: "\(root)/\(path)")
        if target?.kind == .folder {
            recordLink(path)
        } else if target?.kind != .file || !ReportFileFilter.admits(file: prefix + path) {
            passedCount += 1
        } else if files.count < Self.fileLimit {
            files.append(path)
        } else {
            throw SymbolStoreError(
                root, detail: "contains more than \(Self.fileLimit) files, the limit",
                suggestion: "use its subfolders")
        }
    }

    private mutating func recordLink(_ path: String) {
        if links.count < Self.linkLimit { links.append(path) } else { unnamedLinkCount += 1 }
    }

    /// The links that were not followed.
    var notes: [Problem] {
        var notes = links.sorted().map {
            Problem(
                "\(root)/\($0)", detail: "a link to a folder, which is not followed",
                suggestion: "pass the folder itself")
        }
        if unnamedLinkCount > 0 {
            notes.append(
                Problem(
                    root,
                    detail: "\(counted(unnamedLinkCount, "more link")) to folders like these"))
        }
        return notes
    }

    private mutating func addFolder(_ path: String) throws(SymbolStoreError) {
        guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < Self.depthLimit else {
            throw SymbolStoreError(
                "\(root)/\(path)",
                detail: "is nested in more than \(Self.depthLimit) folders, the limit",
                suggestion: "use a folder in it")
        }
        folders.append(path)
    }
}
