import Glibc
import Problems
import SymbolStores

/// Locks a data folder for one process. The lock ends with the process.
///
/// It is on a file in the folder and on the folder itself: the file may be removed, and some network
/// file systems cannot lock a folder.
public struct FolderLock: ~Copyable, Sendable {
    private let file: CInt
    /// The open folder, or -1 if it cannot be opened.
    private let folder: CInt

    /// - Throws: `StorageError` if another process has the lock, or the file cannot be created.
    public init(folder path: String) throws(StorageError) {
        let name = "\(path)/symbolist.lock"
        // Child processes must not inherit the descriptors, because they would keep the lock as
        // long as they run.
        let opened = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw Self.failure(path, name, number: errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw Self.used(path)
        }
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0, flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(folder)
            close(opened)
            throw Self.used(path)
        }
        file = opened
        self.folder = folder
    }

    private static func used(_ folder: String) -> StorageError {
        StorageError(
            Problem(
                "data", detail: "'\(folder)' is in use by another process",
                suggestion: "stop it, or use another folder"))
    }

    private static func failure(_ folder: String, _ path: String, number: CInt) -> StorageError {
        if number == ENOSPC || number == EDQUOT {
            return StorageError(
                Problem(
                    "data", detail: "disk is full", suggestion: "free some space in '\(folder)'"),
                isFull: true)
        }
        if FileAccess.isDenied(number) {
            let denied = FileAccess.problem(path)
            return StorageError(
                Problem(
                    "data", detail: "'\(path)': \(denied.detail)", suggestion: denied.suggestion))
        }
        return StorageError(
            Problem(
                "data", detail: "'\(path)' cannot be opened (\(systemMessage(number)))",
                suggestion: "use a writable folder"))
    }

    /// Unlocks explicitly: a child process has copies of the descriptors until it executes its
    /// program, and closing alone would leave the lock to those copies.
    deinit {
        for descriptor in [folder, file] where descriptor >= 0 {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }
}
