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
    /// As of the last transaction that is on the disk.
    private let waiting: LatestBacklog
    let recent = RecentEntries()
    private let lock: Mutex<FolderLock?>

    public static let fileName = "symbolist.sqlite"

    /// Opens the database in `folder`, or makes a new one; blocks while it does.
    ///
    /// - Throws: When the folder cannot be used or another process has it, when the file is damaged,
    ///   is another program's, or was written by a later version.
    public init(folder: String) throws(JournalError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            lock = Mutex(try FolderLock(folder: folder))
            pool = try DatabaseFile(folder: folder).opened()
            let waiting = LatestBacklog(try pool.read { db in try JournalRows(db).backlog() })
            writer = GroupWriter(pool: pool, folder: folder) { db in
                let backlog = try JournalRows(db).backlog()
                return { waiting.put(backlog) }
            }
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

    /// What waits, without asking the file.
    var latestBacklog: Backlog { waiting.backlog }

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
    private let latest: Mutex<Backlog>

    init(_ backlog: Backlog) { latest = Mutex(backlog) }

    var backlog: Backlog { latest.withLock { $0 } }

    func put(_ backlog: Backlog) { latest.withLock { $0 = backlog } }
}
