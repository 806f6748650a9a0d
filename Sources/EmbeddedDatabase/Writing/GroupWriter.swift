import GRDB
import Ingest
import Synchronization
import TaskCoordination

/// Commits concurrent writes in one transaction, so that they share log pages and a disk sync
/// (group commit).
///
/// Writes accumulate while a transaction runs; the next transaction contains all of them, up to a
/// limit. ``LogSync`` syncs the log meanwhile. If a write fails, the transaction runs again with a
/// savepoint for each write, so that only the failed one is rolled back. Savepoints are too
/// expensive for every transaction. A write returns once it is on disk.
final class GroupWriter: Sendable {
    /// A write that waits for its transaction.
    private struct Job: Sendable {
        /// Returns a function that resumes the caller. It runs again if its transaction was rolled
        /// back because of another write.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var pending = PendingJobs<Job>(
            countLimit: jobsPerTransaction, bytesLimit: bytesPerTransaction)
        var isClosed = false
    }

    private let pool: DatabasePool
    private let folder: String
    private let space: DatabaseSpace
    private let log: WriteAheadLog
    private let checkpoints: Checkpoints
    private let sync: LogSync
    private let admission = WeightedSemaphore(weightLimit: 64 << 20, countLimit: 4_096)
    private let state = Mutex(State())
    /// Runs in each transaction after its writes. The function that it returns runs once the
    /// transaction is on disk, before the callers are resumed.
    private let beforeCommit: @Sendable (Database) throws -> @Sendable () -> Void

    /// The limits of one transaction. A single larger write has a transaction of its own.
    private static let jobsPerTransaction = 512
    private static let bytesPerTransaction = 16 << 20

    /// - Parameter sync: Syncs the log, or `nil` for the usual way.
    init(
        pool: DatabasePool, folder: String, space: DatabaseSpace, sync: LogSync? = nil,
        beforeCommit: @escaping @Sendable (Database) throws -> @Sendable () -> Void
    ) throws {
        self.pool = pool
        self.folder = folder
        self.space = space
        let log = try WriteAheadLog(
            database: pool.path, largeBytes: space.limits.largeLogBytes)
        let checkpoints = try Checkpoints(
            database: pool.path, threshold: space.limits.pagesPerCheckpoint)
        self.log = log
        self.checkpoints = checkpoints
        self.sync = sync ?? LogSync(sync: log.sync, replacingLog: checkpoints.replaceLog)
        self.beforeCommit = beforeCommit
        pool.writeWithoutTransaction { db in checkpoints.observe(db) }
    }

    /// Runs `body` in a transaction, and returns once the transaction is on disk.
    ///
    /// Cancelling the calling task has no effect.
    ///
    /// - Parameters:
    ///   - bytes: The approximate memory that the write needs.
    ///   - prepare: Runs before the transaction, once there is memory for its result.
    ///   - body: May run more than once; only the writes of the last run are committed.
    ///   - afterCommit: Called once the write is on disk and before any caller is resumed, in the
    ///     order of the writes.
    func write<Prepared: Sendable, Result: Sendable>(
        bytes: Int, prepare: () throws(DatabaseProblem) -> Prepared,
        _ body: @escaping @Sendable (Database, Prepared) throws -> Result,
        afterCommit: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws(DatabaseProblem) -> Result {
        await admission.acquire(weight: bytes)
        defer { admission.release(weight: bytes) }
        let prepared = try prepare()
        return try await submit(bytes: bytes, { db in try body(db, prepared) }, afterCommit).get()
    }

    /// Runs a small write in a transaction, and returns once the transaction is on disk.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(DatabaseProblem) -> Result {
        try await write(bytes: 0, prepare: {}, { db, _ in try body(db) })
    }

    /// Rejects further writes, and returns when the pending ones are done.
    ///
    /// - Returns: Whether it was open.
    func close() async -> Bool {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        if wasClosed { return false }
        await withCheckedContinuation { continuation in
            // After the transactions in the writer's queue.
            pool.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
        await sync.drain()
        try? checkpoints.close()
        return true
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private func submit<Value: Sendable>(
        bytes: Int, _ body: @escaping @Sendable (Database) throws -> Value,
        _ afterCommit: @escaping @Sendable (Value) -> Void
    ) async -> Result<Value, DatabaseProblem> {
        await withCheckedContinuation { continuation in
            let folder = folder
            add(
                Job(
                    run: { db in
                        let value = try body(db)
                        return {
                            afterCommit(value)
                            continuation.resume(returning: .success(value))
                        }
                    },
                    fail: { error in
                        let problem = DatabaseProblem(error, in: folder)
                        continuation.resume(returning: .failure(problem))
                    }), byteCount: bytes)
        }
    }

    private func add(_ job: Job, byteCount: Int) {
        let (isClosed, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            return (false, state.pending.add(job, byteCount: byteCount))
        }
        if isClosed { job.fail(DatabaseProblem.closed) }
        guard isFirst else { return }
        pool.asyncWriteWithoutTransaction { [self] db in
            while let jobs = state.withLock({ $0.pending.next() }) {
                commit(jobs, db)
                // If the log grew during each copy, it would use up the reserve.
                if space.usesReserve { checkpoints.copyLargeLog() } else { checkpoints.proceed(db) }
                log.tidy(db)
                space.regainReserve()
            }
        }
    }

    /// Commits jobs in one transaction, without those that make it fail. May use the reserve on a
    /// full disk.
    private func commit(_ jobs: [Job], _ db: Database) {
        do {
            return sync.add(try Transaction(db, hasSavepoints: false).commit(jobs, beforeCommit))
        } catch {
            let isFull = DatabaseProblem(error, in: folder).reason == .full
            if isFull, space.releaseReserve() { return commit(jobs, db) }
        }
        var jobs = jobs
        while !jobs.isEmpty {
            let run = Transaction(db, hasSavepoints: true)
            do {
                return sync.add(try run.commit(jobs, beforeCommit))
            } catch {
                guard let culprit = run.culprit else {
                    for job in jobs { job.fail(error) }
                    return
                }
                jobs.remove(at: culprit).fail(error)
            }
        }
    }

    /// One attempt at a transaction.
    private final class Transaction {
        private let db: Database
        /// Whether a failed job is rolled back alone. Otherwise all jobs are.
        private let hasSavepoints: Bool
        private var completions: [@Sendable () -> Void] = []
        /// The job at which SQLite rolled back the whole transaction, as it does on a full disk.
        private(set) var culprit: Int?

        init(_ db: Database, hasSavepoints: Bool) {
            self.db = db
            self.hasSavepoints = hasSavepoints
        }

        /// Runs the jobs and commits the transaction, without a sync.
        ///
        /// - Returns: The functions that resume the callers.
        func commit(
            _ jobs: [Job], _ beforeCommit: (Database) throws -> @Sendable () -> Void
        ) throws -> LogSync.Commit {
            try db.inTransaction(.immediate) {
                for index in jobs.indices { try run(jobs[index], at: index) }
                completions.insert(try beforeCommit(db), at: 0)
                return .commit
            }
            return LogSync.Commit(
                complete: { [completions] in for complete in completions { complete() } },
                fail: { error in for job in jobs { job.fail(error) } })
        }

        private func run(_ job: Job, at index: Int) throws {
            guard hasSavepoints else {
                completions.append(try job.run(db))
                return
            }
            try db.cachedStatement(sql: "SAVEPOINT job").execute()
            do {
                completions.append(try job.run(db))
            } catch {
                guard db.isInsideTransaction else {
                    culprit = index
                    throw error
                }
                try db.cachedStatement(sql: "ROLLBACK TO job").execute()
                completions.append { job.fail(error) }
            }
            try db.cachedStatement(sql: "RELEASE job").execute()
        }
    }
}
