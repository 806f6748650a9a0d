import GRDB
import Glibc
import Synchronization

/// The file of the write-ahead log: syncs it, and limits its size.
///
/// SQLite restarts the log once ``Checkpoints`` have copied it into the database. It cannot do so
/// during a read, and overlapping reads can delay it forever. So a large log is emptied while
/// readers wait.
final class WriteAheadLog: Sendable {
    /// Always open, because a sync reports earlier write errors only for a file that was open at
    /// the time.
    private let file: Int32
    private let largeBytes: Int
    /// The size of the log beyond which it is emptied.
    private let threshold: Mutex<Int>

    /// - Parameters:
    ///   - database: The path of the database, which is open.
    ///   - largeBytes: The size of the log beyond which it is emptied, in bytes.
    init(database: String, largeBytes: Int) throws {
        file = unsafe open("\(database)-wal", O_RDWR | O_CLOEXEC)
        self.largeBytes = largeBytes
        threshold = Mutex(largeBytes)
        if file < 0 { throw Self.failure(.SQLITE_CANTOPEN) }
    }

    deinit { Glibc.close(file) }

    /// Writes the log to disk.
    func sync() throws {
        guard fdatasync(file) != 0 else { return }
        throw Self.failure(errno == ENOSPC ? .SQLITE_FULL : .SQLITE_IOERR_FSYNC)
    }

    private static func failure(_ code: ResultCode) -> DatabaseError {
        DatabaseError(resultCode: code, message: unsafe String(cString: strerror(errno)))
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
        return unsafe fstat(file, &status) == 0 ? Int(status.st_size) : 0
    }
}
