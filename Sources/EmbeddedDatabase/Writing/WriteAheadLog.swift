import GRDB
import Glibc
import Synchronization

/// Limits the size of the write-ahead log.
///
/// SQLite restarts the log once ``Checkpoints`` have copied it into the database. It cannot do so
/// during a read, and overlapping reads can delay it forever. So a large log is emptied while
/// readers wait.
final class WriteAheadLog: Sendable {
    private let path: String
    private let largeBytes: Int
    /// The size of the log beyond which it is emptied.
    private let threshold: Mutex<Int>

    /// - Parameter largeBytes: The size of the log beyond which it is emptied, in bytes.
    init(database: String, largeBytes: Int) {
        path = "\(database)-wal"
        self.largeBytes = largeBytes
        threshold = Mutex(largeBytes)
    }

    /// Empties a large log. Call this between transactions.
    func tidy(_ db: Database) {
        let size = byteCount
        guard size > threshold.withLock({ $0 }) else { return }
        let isEmptied = (try? db.checkpoint(.truncate)) != nil
        // A read is taking longer than the timeout. Do not wait for it after each transaction.
        threshold.withLock { $0 = isEmptied ? largeBytes : size + largeBytes }
    }

    private var byteCount: Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
