import CallStacks
import SymbolStores
import Synchronization

/// The companions among the files of an upload, and the debug files that were indexed with them.
final class UploadCompanions: Sendable {
    /// The companions in the order of the upload. Lists for worker processes begin with them.
    let entries: [CompanionList.Entry]
    /// The files with split units, which get a result once all debug files are indexed, with the
    /// numbers of their lines in the listing.
    let splitUnits: [(number: Int, file: ListedFile)]
    /// The supplementary files.
    let supplements: Set<ImageID>
    private let users = Mutex<[String: String]>([:])

    init(_ lines: [ListingLine]) {
        var entries: [CompanionList.Entry] = []
        var splitUnits: [(number: Int, file: ListedFile)] = []
        var supplements: Set<ImageID> = []
        for (number, line) in lines.enumerated() {
            guard case .file(let file) = line, let kind = file.slices.first?.companion
            else { continue }
            entries.append(
                CompanionList.Entry(
                    content: .file(
                        CompanionFiles.File(path: file.path, name: file.name, kind: kind)),
                    byteCount: file.byteCount))
            switch kind {
            case .splitUnits: splitUnits.append((number, file))
            case .supplement(let id): supplements.insert(id)
            }
        }
        self.entries = entries
        self.splitUnits = splitUnits
        self.supplements = supplements
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether there are split units that no debug file was indexed with.
    var hasUnusedUnits: Bool { splitUnits.contains { user(of: $0.file) == nil } }

    /// Returns the name of the first debug file that was indexed with a companion.
    func user(of file: ListedFile) -> String? { users.withLock { $0[file.path] } }

    /// Records the companions that a debug file was indexed with.
    ///
    /// - Parameter list: The list of its job.
    /// - Returns: Whether any of them is of this upload.
    @discardableResult
    func add(user name: String, of used: IndexedCompanions?, in list: CompanionList) -> Bool {
        let paths = (used?.entries ?? []).compactMap { number -> String? in
            guard entries.indices.contains(number), list.entries.indices.contains(number),
                case .file(let file) = list.entries[number].content
            else { return nil }
            return file.path
        }
        users.withLock { users in for path in paths where users[path] == nil { users[path] = name }
        }
        return !paths.isEmpty
    }
}
