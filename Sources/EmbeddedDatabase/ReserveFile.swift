import Glibc
import Synchronization

/// A file whose blocks are allocated so that they can be released when the disk is full.
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

    var isHeld: Bool { state.withLock { $0 } }

    /// - Returns: Whether anything was released.
    @discardableResult
    func release() -> Bool {
        state.withLock { isHeld in
            isHeld = false
            return unsafe unlink(path) == 0
        }
    }

    /// Allocates the file. Where that fails, it is tried again the next time.
    func regain() {
        state.withLock { isHeld in
            let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return }
            defer { close(file) }
            isHeld = posix_fallocate(file, 0, off_t(byteCount)) == 0
            if !isHeld { _ = unsafe unlink(path) }
        }
    }
}
