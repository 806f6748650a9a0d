import Foundation
import GRDB
public import Ingest
import SymbolIntake
import Synchronization

/// Journal, archive and catalogue in one SQLite file, `symbolist.sqlite` in the data folder.
///
/// What a call has returned from is on the disk: the process can be killed at any instant. Writes that
/// come together share a transaction; reads see a snapshot and do not wait for writes. One process at
/// a time has the folder.
public final class EmbeddedDatabase: Sendable {
    private let folder: String
    private let pool: DatabasePool
    let writer: GroupWriter
    let space: DatabaseSpace
    /// As of the last transaction that is on the disk.
    private let waiting: LatestBacklog
    let recent = RecentEntries()
    private let lock: Mutex<FolderLock?>

    public static let fileName = "symbolist.sqlite"

    /// Opens the database in `folder`, or makes a new one; blocks while it does.
    ///
    /// - Parameter leastFreeBytes: The free space of the disk that appends must leave; `nil` for a
    ///   share of its size.
    /// - Throws: When the folder cannot be used or another process has it, when the file is damaged,
    ///   is another program's, or was written by a later version.
    public init(folder: String, leastFreeBytes: Int64? = nil) throws(JournalError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            lock = Mutex(try FolderLock(folder: folder))
            let space = DatabaseSpace(folder: folder, leastFreeBytes: leastFreeBytes)
            space.makeRoomForOpening()
            pool = try DatabaseFile(folder: folder, bounds: space.bounds).opened()
            let waiting = try pool.read { db in try LatestBacklog(db) }
            writer = GroupWriter(pool: pool, folder: folder, space: space) { db in
                try waiting.next(db)
            }
            space.regainReserve()
            self.space = space
            self.waiting = waiting
            self.folder = folder
        } catch {
            let problem = DatabaseProblem(error, in: folder)
            throw JournalError(problem.reason, "database: \(problem.text)")
        }
    }

    /// Finishes the writes that were taken, closes the file and lets go of the folder. Later calls
    /// fail as ``JournalError/Reason/closed``; another `close` does nothing.
    public func close() async throws(JournalError) {
        guard await writer.close() else { return }
        // SQLite itself would not empty the log, because readers are closed last. Where there is no
        // room for it, as on a full disk, the log stays and is read when the file is opened again.
        _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        do {
            try pool.close()
        } catch {
            let problem = DatabaseProblem(error, in: folder)
            throw JournalError(problem.reason, "database: \(problem.text)")
        }
        lock.withLock { $0 = nil }
    }

    /// What waits for all readers and for the worker, without asking the file.
    var latestBacklog: (all: Backlog, worker: WorkerBacklog) { waiting.backlog }

    /// Reads from a snapshot, which is left when `body` returns.
    ///
    /// Cancelling the calling task changes nothing; reads are short.
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
            // Then the file's own complaint is that the connection is closed.
            throw writer.isClosed ? .closed : error
        }
    }
}

/// The backlog as of the last transaction.
private final class LatestBacklog: Sendable {
    private let latest: Mutex<(all: Backlog, worker: WorkerBacklog)>

    init(_ db: Database) throws { latest = Mutex(try Self.read(db)) }

    var backlog: (all: Backlog, worker: WorkerBacklog) { latest.withLock { $0 } }

    /// What to call when the transaction is on the disk.
    func next(_ db: Database) throws -> @Sendable () -> Void {
        let backlog = try Self.read(db)
        return { self.latest.withLock { $0 = backlog } }
    }

    private static func read(_ db: Database) throws -> (all: Backlog, worker: WorkerBacklog) {
        let rows = JournalRows(db)
        return (try rows.backlog(), try rows.workerBacklog())
    }
}
