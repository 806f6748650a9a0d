import Glibc
import Synchronization

/// A file that reserves disk blocks, which are released when the disk is full.
final class ReserveFile: Sendable {
    private let path: String
    private let byteCount: Int64
    private let state: Mutex<Bool>

    init(path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
        var status = stat()
        let exists = unsafe stat(path, &status) == 0
        state = Mutex(exists && Int64(status.st_size) >= byteCount)
    }

    var isAllocated: Bool { state.withLock { $0 } }

    /// - Returns: Whether anything was released.
    @discardableResult
    func release() -> Bool {
        state.withLock { isAllocated in
            isAllocated = false
            return unsafe unlink(path) == 0
        }
    }

    /// Allocates the file. If that fails, the next call tries again.
    func regain() {
        state.withLock { isAllocated in
            let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return }
            defer { close(file) }
            isAllocated = posix_fallocate(file, 0, off_t(byteCount)) == 0
            if !isAllocated { _ = unsafe unlink(path) }
        }
    }
}
