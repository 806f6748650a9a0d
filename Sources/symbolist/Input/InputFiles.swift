import Glibc
import LogExtraction
import Problems
import SymbolStores

/// All files to process, one after another: those on the command line, where a folder or archive is
/// replaced by the files in it.
struct InputFiles: ~Copyable {
    /// A folder or an archive on the command line, and its contents so far.
    private struct Container {
        let path: String
        /// The prefix of its paths in the output folder.
        let outputPrefix: String
        /// The files of a folder that are still to be read.
        var files: ArraySlice<String> = []
        var problems: ArraySlice<Problem> = []
        var passedCount = 0
        var notes: [Problem] = []
    }

    /// The number of files found so far.
    private(set) var count: Int
    private var given: ArraySlice<String>
    private let isSeveral: Bool
    /// The bytes already read from standard input.
    private let standardInputStart: [UInt8]
    private var container: Container?
    private var archive: ArchivedFiles?
    /// The path of the archive in messages, and its prefix in the output folder.
    private var archivePath = ""
    private var archiveOutputPrefix = ""

    init(_ paths: [String], standardInputStart: [UInt8] = []) {
        given = paths[...]
        isSeveral = paths.count > 1
        count = paths.count
        self.standardInputStart = standardInputStart
    }

    /// Whether a path leads to a folder or an archive.
    static func isContainer(_ path: String) -> Bool {
        if FileTree.isFolder(path) { return true }
        switch try? packed(path) {
        case .archive?: return true
        default: return false
        }
    }

    mutating func next() -> InputFile? {
        while true {
            if let file = nextInArchive() ?? nextInFolder() ?? endOfContainer() { return file }
            guard let path = given.popFirst() else { return nil }
            if let file = open(path) { return file }
        }
    }

    /// Opens a path of the command line. Returns `nil` for a folder or an archive, whose files
    /// follow.
    private mutating func open(_ path: String) -> InputFile? {
        if FileTree.isFolder(path) { return enterFolder(path) }
        return open(InputFile(path: path, outputName: OutputWriter.name(of: path)))
    }

    private mutating func enterFolder(_ path: String) -> InputFile? {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        if path.hasSuffix(".dSYM") {
            return InputFile(
                path: path, outputName: "",
                content: .noReport(
                    Problem(
                        path, detail: "contains symbols, not a report",
                        suggestion: "use it with --symbols")))
        }
        let tree = FileTree(path)
        container = Container(
            path: path, outputPrefix: outputPrefix(of: path), files: tree.files[...],
            problems: tree.problems[...], passedCount: tree.passedCount, notes: tree.notes)
        count += tree.files.count
        return nil
    }

    /// Opens a file. Returns `nil` for an archive, whose files follow.
    private mutating func open(_ file: InputFile) -> InputFile? {
        var file = file
        do {
            switch try held(file.path) {
            case nil: return file
            case .single(let unwrapped)?: file.content = .file(unwrapped)
            case .archive(let files)?:
                enter(files, file: file)
                return nil
            }
        } catch {
            file.content = Self.content(error)
        }
        return file
    }

    private static func content(_ error: any Error) -> InputFile.Content {
        (error as? UnpackingError)?.largeFile.map { .large($0) } ?? .problem(Problem(error))
    }

    private static func packed(_ path: String) throws -> ReceivedFile? {
        try ReceivedFile(
            packedAt: path, fileLimit: InputBytes.wholeFileLimit, archiveLimit: InputBytes.limit)
    }

    /// Returns the contents of an archive or a compressed file, or `nil` for other files, which are
    /// read when their turn comes.
    private func held(_ path: String) throws -> ReceivedFile? {
        let isPipe = path == "-" || (try? FileStatus(of: path))?.kind == .other
        guard isPipe else { return try Self.packed(path) }
        // The content of a pipe is known only by reading it, which is possible only once.
        let bytes =
            path == "-"
            ? try InputBytes.bytes(of: STDIN_FILENO, after: standardInputStart)
            : try InputBytes(path).read()
        return try ReceivedFile(
            bytes, name: InputBytes(path).name, fileLimit: InputBytes.wholeFileLimit,
            archiveLimit: InputBytes.limit)
    }

    private mutating func enter(_ files: consuming ArchivedFiles, file: InputFile) {
        archive = consume files
        archivePath = InputBytes(file.path).name
        if container == nil {
            archiveOutputPrefix = outputPrefix(of: file.path)
            container = Container(path: file.path, outputPrefix: archiveOutputPrefix)
        } else {
            archiveOutputPrefix = file.outputName + "/"
        }
    }

    private func outputPrefix(of path: String) -> String {
        isSeveral ? OutputWriter.name(of: path) + "/" : ""
    }

    private mutating func nextInArchive() -> InputFile? {
        guard let finding = archive?.next() else {
            container?.passedCount += archive?.passedCount ?? 0
            archive = nil
            return nil
        }
        count += 1
        switch finding {
        case .file(let name, let file): return archived(name, .file(file))
        case .problem(let error):
            if let large = error.largeFile { return archived(large.path, .large(large)) }
            return InputFile(
                path: archivePath, container: container?.path, outputName: "",
                content: .problem(error.problem))
        }
    }

    private func archived(_ name: String, _ content: InputFile.Content) -> InputFile {
        InputFile(
            path: "\(archivePath)/\(name)", container: container?.path,
            outputName: archiveOutputPrefix + name, content: content)
    }

    private mutating func nextInFolder() -> InputFile? {
        guard let path = container?.path else { return nil }
        if let problem = container?.problems.popFirst() {
            return InputFile(
                path: path, container: path, outputName: "", content: .problem(problem))
        }
        while let name = container?.files.popFirst() {
            let file = InputFile(
                path: "\(path)/\(name)", container: path,
                outputName: (container?.outputPrefix ?? "") + name)
            let start = try? firstBytes(of: file.path, count: ReportFileFilter.startLength)
            if let start, !ReportFileFilter.admits(start: start) {
                container?.passedCount += 1
            } else if let file = open(file) ?? nextInArchive() {
                return file
            }
        }
        return nil
    }

    private mutating func endOfContainer() -> InputFile? {
        guard let container else { return nil }
        self.container = nil
        return InputFile(
            path: container.path, container: container.path, outputName: "",
            content: .end(passedCount: container.passedCount, notes: container.notes))
    }
}
