import Glibc
import Problems
import SymbolStores

/// Locks a data folder for one process. The lock is on a file in the folder and ends with the
/// process.
public struct FolderLock: ~Copyable, Sendable {
    private let file: CInt

    /// - Throws: `StorageError` if another process has the lock, or the file cannot be created.
    public init(folder: String) throws(StorageError) {
        let path = "\(folder)/symbolist.lock"
        // Child processes must not inherit the descriptor, because they would keep the lock as long
        // as they run.
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw Self.failure(folder, path, number: errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw StorageError(
                Problem(
                    "data", detail: "'\(folder)' is in use by another process",
                    suggestion: "stop it, or use another folder"))
        }
        file = opened
    }

    private static func failure(_ folder: String, _ path: String, number: CInt) -> StorageError {
        if number == ENOSPC || number == EDQUOT {
            return StorageError(
                Problem(
                    "data", detail: "disk is full", suggestion: "free some space in '\(folder)'"),
                isFull: true)
        }
        return StorageError(
            Problem(
                "data", detail: "'\(path)' cannot be opened (\(systemMessage(number)))",
                suggestion: "use a writable folder"))
    }

    /// Unlocks explicitly: a child process has a copy of the descriptor until it executes its
    /// program, and closing alone would leave the lock to that copy.
    deinit {
        flock(file, LOCK_UN)
        close(file)
    }
}
