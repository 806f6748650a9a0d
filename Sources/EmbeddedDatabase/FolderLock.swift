import Glibc

/// Locks a data folder for one process. The lock is on a file in the folder and ends with the
/// process.
struct FolderLock: ~Copyable {
    private let file: CInt

    /// - Throws: `DatabaseProblem` if another process has the lock, or the file cannot be created.
    init(folder: String) throws(DatabaseProblem) {
        let path = "\(folder)/symbolist.lock"
        // Child processes must not inherit the descriptor, because they would keep the lock as long
        // as they run.
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            if errno == ENOSPC || errno == EDQUOT { throw DatabaseProblem.full(folder) }
            let problem = unsafe String(cString: strerror(errno)).lowercased()
            throw DatabaseProblem.refusal(
                "'\(path)' cannot be opened (\(problem))",
                suggestion: "give a folder that may be written to")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw DatabaseProblem.refusal(
                "'\(folder)' is in use by another process",
                suggestion: "end it or give another folder")
        }
        file = opened
    }

    /// Unlocks explicitly: a child process has a copy of the descriptor until it executes its
    /// program, and closing alone would leave the lock to that copy.
    deinit {
        flock(file, LOCK_UN)
        close(file)
    }
}
