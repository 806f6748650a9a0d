import Foundation
import GRDB
public import Ingest
import SymbolIntake
import Synchronization

/// The journal, the archives and the catalogue in one SQLite file, `symbolist.sqlite` in the data
/// folder.
///
/// A write that has returned is on disk, so the process can be killed at any moment. Concurrent
/// writes share a transaction; reads see a snapshot and do not wait for writes. Only one process at
/// a time can open the folder.
public final class EmbeddedDatabase: Sendable {
    private let folder: String
    private let pool: DatabasePool
    let writer: GroupWriter
    let space: DatabaseSpace
    private let backlogs: LatestBacklog
    /// Enough for the next run of the worker. Reading later entries from the file costs little.
    let recent = RecentEntryCache(bytesLimit: 4 << 20)
    private let lock: Mutex<FolderLock?>

    public static let fileName = "symbolist.sqlite"

    /// The size of the file with its log, in bytes.
    public var byteCount: Int64 {
        let file = "\(folder)/\(Self.fileName)"
        return [file, file + "-wal"].reduce(0) {
            $0 + DataFolders(path: folder).byteCount(ofFileAt: $1)
        }
    }

    /// Opens or creates the database in `folder`. Blocks until it is done.
    ///
    /// - Parameter leastFreeBytes: The free space of the disk that appends must leave, or `nil` for
    ///   a share of its size.
    /// - Throws: `JournalError` if the folder cannot be used or is locked by another process, or if
    ///   the file is damaged, belongs to another program, or has a later version.
    public init(folder: String, leastFreeBytes: Int64? = nil) throws(JournalError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            lock = Mutex(try FolderLock(folder: folder))
            let space = DatabaseSpace(folder: folder, leastFreeBytes: leastFreeBytes)
            space.makeRoomForOpening()
            pool = try DatabaseFile(folder: folder, limits: space.limits).opened()
            let backlogs = try pool.read { db in try LatestBacklog(db) }
            writer = try GroupWriter(pool: pool, folder: folder, space: space) { db in
                try backlogs.next(db)
            }
            space.regainReserve()
            self.space = space
            self.backlogs = backlogs
            self.folder = folder
        } catch {
            throw JournalError(DatabaseProblem(error, in: folder), of: "database")
        }
    }

    /// Finishes pending writes, closes the file and unlocks the folder. Later calls throw
    /// ``JournalError/Reason/closed``; another `close` does nothing.
    public func close() async throws(JournalError) {
        guard await writer.close() else { return }
        defer { lock.withLock { $0 = nil } }
        // SQLite itself would not empty the log, because readers are closed last. If there is no
        // space for this, the log stays and is read when the file is opened again.
        _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        do {
            try pool.close()
        } catch {
            throw JournalError(DatabaseProblem(error, in: folder), of: "database")
        }
    }

    /// The backlogs of the slowest reader and of the worker, and the number of the last entry, as
    /// of the last transaction. Read from memory.
    var latestBacklog: LatestBacklog.Values { backlogs.latest }

    /// Reads from a snapshot, which ends when `body` returns.
    ///
    /// Cancelling the calling task has no effect, because reads are short.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(DatabaseProblem) -> Value {
        let folder = folder
        let result: Result<Value, DatabaseProblem> = await withCheckedContinuation { continuation in
            pool.asyncRead { db in
                do {
                    continuation.resume(returning: .success(try body(db.get())))
                } catch {
                    continuation.resume(returning: .failure(DatabaseProblem(error, in: folder)))
                }
            }
        }
        do {
            return try result.get()
        } catch {
            // Otherwise SQLite would report a closed connection.
            throw writer.isClosed ? .closed : error
        }
    }
}

/// The backlogs as of the last transaction on disk.
final class LatestBacklog: Sendable {
    struct Values {
        var all: Backlog
        var worker: WorkerBacklog
        var lastNumber: Int64
    }

    private let state: Mutex<Values>

    init(_ db: Database) throws { state = Mutex(try Self.read(db)) }

    var latest: Values { state.withLock { $0 } }

    /// Reads the backlogs in a transaction, and returns a function that publishes them after its
    /// commit.
    func next(_ db: Database) throws -> @Sendable () -> Void {
        let backlogs = try Self.read(db)
        return { self.state.withLock { $0 = backlogs } }
    }

    private static func read(_ db: Database) throws -> Values {
        let journal = JournalTable(db)
        let end = try journal.end()
        return Values(
            all: try journal.backlog(before: end), worker: try journal.workerBacklog(before: end),
            lastNumber: end.number)
    }
}
