import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the database, mostly on a separate connection, so that writes do
/// not wait for the disk.
final class Checkpoints: Sendable {
    private final class LogSize: Sendable {
        let frames = Atomic(0)
    }

    private let copies: DatabaseQueue
    private let size = LogSize()
    private let threshold: Int
    private let schedule: Mutex<CheckpointSchedule>

    /// - Parameter threshold: The number of pages in the log at which copying begins.
    init(database path: String, threshold: Int) throws {
        self.threshold = threshold
        var configuration = Configuration()
        configuration.label = "symbolist.checkpoints"
        configuration.busyMode = .timeout(DatabaseFile.busySeconds)
        copies = try DatabaseQueue(path: path, configuration: configuration)
        schedule = Mutex(CheckpointSchedule(threshold: threshold))
    }

    /// Counts the frames that commits of a connection append, and turns off SQLite's own
    /// checkpoints, which would delay commits. The connection must not commit after this object is
    /// destroyed.
    func observe(_ db: Database) {
        _ = unsafe sqlite3_wal_hook(
            db.sqliteConnection,
            { size, _, _, frames in
                guard let size = unsafe size else { return SQLITE_OK }
                unsafe Unmanaged<LogSize>.fromOpaque(size).takeUnretainedValue()
                    .frames.store(Int(frames), ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(size).toOpaque())
    }

    /// The number of frames in the log after the last commit of the observed connection.
    var logSize: Int { size.frames.load(ordering: .relaxed) }

    /// Takes the next step if one is due. Call this between transactions of the observed
    /// connection.
    func proceed(_ db: Database) {
        let size = logSize
        switch schedule.withLock({ $0.committed(size: size) }) {
        case .copy:
            copies.asyncWriteWithoutTransaction { [self] db in take(.copy, db) }
        case .finish: take(.finish, db)
        case nil: break
        }
    }

    /// A failure, as on a full disk, only leaves a longer log.
    private func take(_ step: CheckpointSchedule.Step, _ db: Database) {
        let copied = try? db.checkpoint(.passive).checkpointedFrameCount
        schedule.withLock { $0.ended(step, copied: copied) }
    }

    /// Copies the whole log, syncs the database, and makes the next commit start a new log.
    func replaceLog() throws {
        _ = try copies.writeWithoutTransaction { db in try db.checkpoint(.restart) }
    }

    /// Copies a log that has reached the threshold, after waiting for the current copy. Otherwise
    /// the next commit could not start a new log, and would make this one larger.
    func copyLargeLog() {
        guard logSize >= threshold else { return }
        // If this fails, the next commit tries again.
        _ = try? copies.writeWithoutTransaction { db in try db.checkpoint(.passive) }
    }

    /// Waits for the current copy, and closes its connection.
    func close() throws { try copies.close() }
}
