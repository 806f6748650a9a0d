import DebugFiles
import Problems

/// A debug file together with those of its split units, and the supplementary file, that were found.
struct JoinedDebugFile {
    let file: DebugFile
    /// The joined files.
    let parts: [Part]

    /// A joined file.
    struct Part {
        let file: SplitFileInventory.File
        /// The state of the file, which the index depends on.
        let status: FileStatus
    }

    /// Joins a file listed explicitly with the split units next to it.
    init(_ file: DebugFile, besideFileAt path: String) {
        var found = SplitFileInventory()
        if file.kind.isELF { found.add(besideFileAt: path) }
        self.init(file, at: path, with: found, supplements: [], isExplicit: true)
    }

    /// The maximum number of opened `.dwo` files and packages. Each is a mapping, and a process can
    /// have 65,530 of them.
    static let openLimit = 1 << 15

    /// Joins `file` with its split units and its supplementary file. Most files have neither, in
    /// which case no other file is opened.
    ///
    /// - Parameters:
    ///   - supplements: Files with the build ID of the supplementary file.
    ///   - isExplicit: Whether the file is listed explicitly, so that these files are also searched
    ///     at their recorded paths.
    init(
        _ file: DebugFile, at path: String, with found: SplitFileInventory,
        supplements: [SplitFileInventory.File], isExplicit: Bool, openLimit: Int = Self.openLimit
    ) {
        let supplemented = JoinedSupplement(
            file, at: path, among: supplements, isExplicit: isExplicit)
        let supplement = [supplemented.part].compactMap(\.self)
        guard !found.isEmpty || isExplicit else {
            self.file = supplemented.file
            parts = supplement
            return
        }
        var join = Join(file.splitUnitReferences, openLimit: openLimit)
        for package in found.packages(for: path) where !join.isComplete { join.take(package) }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        join.takeObjects(from: found, recordedIn: isExplicit ? folder : nil)
        self.file = supplemented.file.joined(with: join.files, problems: join.problems)
        parts = supplement + join.parts
    }
}

/// The search for the split units of one file.
private struct Join {
    private var missing: [SplitUnitReference]
    private var opened: [SplitFileInventory.File: OpenedFile] = [:]
    private var unreadable: Set<SplitFileInventory.File> = []
    private(set) var files: [SplitDebugFile] = []
    private(set) var parts: [JoinedDebugFile.Part] = []
    private(set) var problems: [DebugFileWarning] = []

    private struct OpenedFile {
        let file: SplitDebugFile
        let status: FileStatus
        var isTaken = false
    }

    private let openLimit: Int

    /// The maximum number of problems reported.
    private static let problemsLimit = 8

    init(_ references: [SplitUnitReference], openLimit: Int) {
        missing = references
        self.openLimit = openLimit
    }

    var isComplete: Bool { missing.isEmpty }

    /// Adds a package if it has any of the missing units.
    mutating func take(_ package: SplitFileInventory.File) {
        guard let opened = open(package) else { return }
        let rest = missing.filter { !opened.file.contains($0) }
        guard rest.count < missing.count else { return }
        missing = rest
        files.append(opened.file)
        parts.append(JoinedDebugFile.Part(file: package, status: opened.status))
    }

    /// Adds the `.dwo` files of the missing units.
    ///
    /// - Parameter folder: The folder of the debug file, or `nil` to ignore recorded paths.
    mutating func takeObjects(from found: SplitFileInventory, recordedIn folder: String?) {
        for reference in missing {
            let recorded = folder.map { reference.recordedPaths(movedTo: $0) } ?? []
            let splitFiles =
                found.objects(named: reference.fileName)
                + recorded.filter { (try? FileStatus(of: $0))?.kind == .file }
                .map { SplitFileInventory.File(path: $0, name: $0) }
            let splitFile = splitFiles.first { open($0)?.file.contains(reference) == true }
            if let splitFile {
                take(object: splitFile)
            } else if !splitFiles.isEmpty, splitFiles.contains(where: { opened[$0] != nil }) {
                warn(
                    DebugFileWarning(
                        .splitDwarfMissing, "'\(reference.fileName)' is of another build"))
            }
        }
    }

    private mutating func take(object splitFile: SplitFileInventory.File) {
        guard let object = opened[splitFile], !object.isTaken else { return }
        opened[splitFile]?.isTaken = true
        files.append(object.file)
        parts.append(JoinedDebugFile.Part(file: splitFile, status: object.status))
    }

    private mutating func open(_ splitFile: SplitFileInventory.File) -> OpenedFile? {
        if let known = opened[splitFile] { return known }
        guard !unreadable.contains(splitFile), opened.count < openLimit else { return nil }
        do {
            let file = try Self.opened(splitFile)
            opened[splitFile] = file
            return file
        } catch {
            unreadable.insert(splitFile)
            warn(DebugFileWarning(.malformed, error.description))
            return nil
        }
    }

    private static func opened(
        _ splitFile: SplitFileInventory.File
    ) throws(SymbolStoreError) -> OpenedFile {
        let status = try FileStatus(of: splitFile.path)
        let bytes = try MappedFile.bytes(of: splitFile.path)
        do throws(DebugFileError) {
            let contents = try DebugFile.slices(of: bytes, name: splitFile.fileName)
            guard let file = contents.files.first
            else { throw DebugFileError(.unrecognised, name: splitFile.fileName) }
            return OpenedFile(
                file: try SplitDebugFile(file, name: splitFile.fileName), status: status)
        } catch { throw SymbolStoreError(error) }
    }

    private mutating func warn(_ problem: DebugFileWarning) {
        if problems.count < Self.problemsLimit, !problems.contains(problem) {
            problems.append(problem)
        }
    }
}
