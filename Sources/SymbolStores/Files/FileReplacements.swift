import Archives
import CFileSystem
import Glibc

/// Writes files of one folder, and replaces existing ones, as ``replaceFile(at:with:)`` does.
///
/// Flushing a small file to disk takes longer than writing it, so all are flushed together before
/// they get their names.
struct FileReplacements: ~Copyable {
    private let folder: String
    private var drafts: [(path: String, draft: String)] = []

    /// - Parameter folder: A folder that exists when the first file is added.
    init(in folder: String) { self.folder = folder }

    deinit {
        for file in drafts { _ = unsafe unlink(SystemPath.bytes(of: file.draft)) }
    }

    var count: Int { drafts.count }

    /// Writes the draft of a file.
    ///
    /// - Throws: ``SymbolStoreError`` if the system refuses.
    mutating func add(_ bytes: [UInt8], as name: String) throws(SymbolStoreError) {
        let path = "\(folder)/\(name)"
        let draft = draftPath(of: path)
        drafts.append((path, draft))
        guard writeDraft(bytes, at: draft, isFlushed: false) else { throw unwritable(path, errno) }
    }

    /// Flushes the drafts and gives them their names.
    ///
    /// - Throws: ``SymbolStoreError`` if the system refuses.
    mutating func commit() throws(SymbolStoreError) {
        guard !drafts.isEmpty else { return }
        let problem = flush()
        guard problem == 0 else { throw unwritable(folder, problem) }
        while let file = drafts.last {
            let (draft, path) = (SystemPath.bytes(of: file.draft), SystemPath.bytes(of: file.path))
            guard unsafe rename(draft, path) == 0 else { throw unwritable(file.path, errno) }
            drafts.removeLast()
        }
        flushFolder(of: folder + "/")
    }

    /// Flushes the file system.
    ///
    /// - Returns: 0, or the error number if the system refuses.
    private func flush() -> Int32 {
        let folder = unsafe open(SystemPath.bytes(of: folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return errno }
        defer { close(folder) }
        return symbolist_flush_file_system(folder)
    }
}
