import GRDB
import Glibc
import Synchronization

/// Keeps the file of the write-ahead log from growing.
///
/// SQLite copies the log into the database by itself every ``DatabaseBounds/pagesPerCheckpoint`` pages and then
/// begins it anew; but it cannot while somebody reads from it, and reads that follow one another can
/// put that off for ever. So a log that is large is emptied while readers wait.
final class WriteAheadLog: Sendable {
    private let path: String
    private let largeBytes: Int
    /// The size of the file beyond which it is emptied.
    private let threshold: Mutex<Int>

    /// - Parameter largeBytes: The size of a log that is large.
    init(database: String, largeBytes: Int) {
        path = "\(database)-wal"
        self.largeBytes = largeBytes
        threshold = Mutex(largeBytes)
    }

    /// Empties the log if it is large. To be called between transactions.
    func tidy(_ db: Database) {
        let size = byteCount
        guard size > threshold.withLock({ $0 }) else { return }
        let isEmptied = (try? db.checkpoint(.truncate)) != nil
        // Somebody reads for longer than the time-out, which is not to be waited out each time.
        threshold.withLock { $0 = isEmptied ? largeBytes : size + largeBytes }
    }

    private var byteCount: Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
