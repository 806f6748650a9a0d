import CrashFiles
import Glibc
import SymbolStores

/// All files to answer, one after another: those that were given, and in the place of a folder or an
/// archive what lies in it.
struct InputFiles: ~Copyable {
    /// A folder or an archive that was given, and what is known of it beforehand.
    private struct Container {
        let path: String
        /// What stands before the paths in it, in a folder of answers.
        let outputPrefix: String
        /// Of a folder, still to be read.
        var files: ArraySlice<String> = []
        var problems: ArraySlice<String> = []
        var passedCount = 0
    }

    /// How many files are known of so far.
    private(set) var count: Int
    private var given: ArraySlice<String>
    private let isSeveral: Bool
    /// What was read from standard input before.
    private let standardInputStart: [UInt8]
    private var container: Container?
    private var archive: ArchivedFiles?
    /// The archive in messages, and in a folder of answers.
    private var archivePath = ""
    private var archiveOutputPrefix = ""

    init(_ paths: [String], standardInputStart: [UInt8] = []) {
        given = paths[...]
        isSeveral = paths.count > 1
        count = paths.count
        self.standardInputStart = standardInputStart
    }

    /// Whether what is given is a folder or an archive.
    static func isContainer(_ path: String) -> Bool {
        if FileTree.isFolder(path) { return true }
        switch try? HeldFile(packedAt: path, fileLimit: InputBytes.limit) {
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

    /// A file that was given; `nil` for a folder or an archive, whose files come next.
    private mutating func open(_ path: String) -> InputFile? {
        if FileTree.isFolder(path) { return enterFolder(path) }
        return open(InputFile(path: path, outputName: AnswerOutput.name(of: path)))
    }

    private mutating func enterFolder(_ path: String) -> InputFile? {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        if path.hasSuffix(".dSYM") {
            return InputFile(
                path: path, outputName: "",
                content: .noReport("\(path): is symbols and no report: give it with --symbols"))
        }
        let tree = FileTree(path)
        container = Container(
            path: path, outputPrefix: outputPrefix(of: path), files: tree.files[...],
            problems: tree.problems[...], passedCount: tree.passedCount)
        count += tree.files.count
        return nil
    }

    /// A file by itself; `nil` for an archive, whose files come next.
    private mutating func open(_ file: InputFile) -> InputFile? {
        var file = file
        do {
            switch try held(file.path) {
            case nil: return file
            case .single(let unwrapped)?: file.content = .file(unwrapped)
            case .archive(let files)?:
                enter(files, file)
                return nil
            }
        } catch {
            file.content = .problem("\(error)")
        }
        return file
    }

    /// `nil` for what is neither compressed nor an archive, and is read when its turn comes.
    private func held(_ path: String) throws -> HeldFile? {
        let isPipe = path == "-" || (try? FileStatus(of: path))?.kind == .other
        guard isPipe else { return try HeldFile(packedAt: path, fileLimit: InputBytes.limit) }
        // What a pipe holds shows only when it is read, which can be done once.
        let bytes =
            path == "-"
            ? try InputBytes.bytes(of: STDIN_FILENO, after: standardInputStart)
            : try InputBytes(path).read()
        return try HeldFile(bytes, name: InputBytes(path).name, fileLimit: InputBytes.limit)
    }

    private mutating func enter(_ files: consuming ArchivedFiles, _ file: InputFile) {
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
        isSeveral ? AnswerOutput.name(of: path) + "/" : ""
    }

    private mutating func nextInArchive() -> InputFile? {
        guard let finding = archive?.next() else {
            container?.passedCount += archive?.passedCount ?? 0
            archive = nil
            return nil
        }
        count += 1
        switch finding {
        case .file(let name, let file):
            return InputFile(
                path: "\(archivePath)/\(name)", container: container?.path,
                outputName: archiveOutputPrefix + name, content: .file(file))
        case .problem(let error):
            return InputFile(
                path: archivePath, container: container?.path, outputName: "",
                content: .problem("\(error)"))
        }
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
            let start = try? firstBytes(of: file.path, count: ReportPlace.startLength)
            if let start, !ReportPlace.admits(start: start) {
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
            content: .end(passedCount: container.passedCount))
    }
}
