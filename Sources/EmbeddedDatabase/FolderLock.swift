import Glibc

/// Holds a data folder for one process, by a lock on a file in it that ends with the process.
struct FolderLock: ~Copyable {
    private let file: CInt

    /// - Throws: When another process holds it, or the file cannot be made.
    init(folder: String) throws(DatabaseProblem) {
        let path = "\(folder)/symbolist.lock"
        // Kept from children, which would hold the folder for as long as they run.
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            if errno == ENOSPC || errno == EDQUOT { throw DatabaseProblem.full(folder) }
            let problem = unsafe String(cString: strerror(errno)).lowercased()
            throw DatabaseProblem.refusal(
                "'\(path)' cannot be opened (\(problem)): give a folder that may be written to")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw DatabaseProblem.refusal(
                "'\(folder)' is in use by another process: end it or give another folder")
        }
        file = opened
    }

    /// Unlocks by name: a child that is just being started has a copy of the descriptor until it runs
    /// its program, and closing alone would leave the lock to that copy.
    deinit {
        flock(file, LOCK_UN)
        close(file)
    }
}
