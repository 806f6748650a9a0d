import Archives
import CFileSystem
import Glibc

/// Writes files of one folder, and replaces existing ones, as ``replaceFile(at:with:)`` does.
///
/// Flushing a small file to disk takes longer than writing it, so all are flushed together before
/// they get their names.
struct FileReplacements: ~Copyable {
    private struct Draft {
        let path: String
        let byteCount: Int
    }

    /// The result of ``commit()``.
    struct Result {
        var storedCount = 0
        var storedByteCount = 0
        var failures: [SymbolStoreError] = []
    }

    private let folder: String
    /// The drafts by the path of their file.
    private var drafts: [String: Draft] = [:]

    /// - Parameter folder: A folder that exists when the first file is added.
    init(in folder: String) { self.folder = folder }

    deinit {
        for draft in drafts.values { remove(draft) }
    }

    /// Writes the draft of a file, in place of an earlier draft of the same file.
    ///
    /// - Throws: ``SymbolStoreError`` if the draft cannot be written.
    mutating func add(_ bytes: [UInt8], as name: String) throws(SymbolStoreError) {
        let path = "\(folder)/\(name)"
        let draft = Draft(path: draftPath(of: path), byteCount: bytes.count)
        guard writeDraft(bytes, at: draft.path, isFlushed: false) else {
            let problem = errno
            remove(draft)
            throw unwritable(path, number: problem)
        }
        if let last = drafts.updateValue(draft, forKey: path) { remove(last) }
    }

    /// Flushes the drafts and renames them. Drafts for which this fails are removed.
    mutating func commit() -> Result {
        var result = Result()
        guard !drafts.isEmpty else { return result }
        let flushProblem = flush()
        for (path, draft) in drafts {
            let problem = flushProblem == 0 ? rename(draft, to: path) : flushProblem
            if problem == 0 {
                result.storedCount += 1
                result.storedByteCount += draft.byteCount
            } else {
                remove(draft)
                result.failures.append(unwritable(path, number: problem))
            }
        }
        drafts = [:]
        flushFolder(of: folder + "/")
        return result
    }

    /// Flushes the file system.
    ///
    /// - Returns: 0, or the error number of the failed system call.
    private func flush() -> Int32 {
        let folder = unsafe open(SystemPath.bytes(of: folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return errno }
        defer { close(folder) }
        return symbolist_flush_file_system(folder)
    }

    /// - Returns: 0, or the error number of the failed system call.
    private func rename(_ draft: Draft, to path: String) -> Int32 {
        let isRenamed =
            unsafe Glibc.rename(SystemPath.bytes(of: draft.path), SystemPath.bytes(of: path)) == 0
        return isRenamed ? 0 : errno
    }

    private func remove(_ draft: Draft) { _ = unsafe unlink(SystemPath.bytes(of: draft.path)) }
}
