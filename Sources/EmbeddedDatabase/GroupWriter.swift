import GRDB
import Ingest
import Synchronization

/// Writes what arrives together in one transaction, so that it shares one sync of the disk.
///
/// While one transaction is on its way to the disk, further writes gather; the next transaction
/// takes them all, up to a bound. One that fails leaves no trace, and its neighbours are kept: then the
/// transaction is made again with a savepoint for each write, which costs too much to be made for all.
/// A caller hears of success only when its write is on the disk.
final class GroupWriter: Sendable {
    /// One write that waits for its transaction.
    private struct Job: Sendable {
        let byteCount: Int
        /// Answers what tells the caller. It runs again when the transaction that it was part of was
        /// rolled back because of another one.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var pending: [Job] = []
        var isRunning = false
        var isClosed = false
    }

    private let pool: DatabasePool
    private let folder: String
    private let space: DatabaseSpace
    private let log: WriteAheadLog
    private let admission = WriteAdmission(bytesLimit: 64 << 20, countLimit: 4_096)
    private let state = Mutex(State())
    /// Called in each transaction, after its writes; what it answers is called when the transaction
    /// is on the disk, before the callers hear of it.
    private let lastly: @Sendable (Database) throws -> @Sendable () -> Void

    /// The most of one transaction, unless a single write is larger.
    private static let jobsPerTransaction = 512
    private static let bytesPerTransaction = 16 << 20

    init(
        pool: DatabasePool, folder: String, space: DatabaseSpace,
        lastly: @escaping @Sendable (Database) throws -> @Sendable () -> Void
    ) {
        self.pool = pool
        self.folder = folder
        self.space = space
        log = WriteAheadLog(database: pool.path, largeBytes: space.bounds.largeLogBytes)
        self.lastly = lastly
    }

    /// Runs `body` in a transaction and returns when that is on the disk.
    ///
    /// Cancelling the calling task changes nothing: the write is made and answered.
    ///
    /// - Parameters:
    ///   - bytes: About what the write holds in memory.
    ///   - prepare: What can be done outside of the transaction, once there is room for its result.
    ///   - body: May run more than once; only what the last run wrote is kept.
    ///   - kept: Called when the write is on the disk and nobody has heard of it yet, in the order of
    ///     the writes.
    func write<Prepared: Sendable, Result: Sendable>(
        bytes: Int, prepare: () throws(DatabaseProblem) -> Prepared,
        _ body: @escaping @Sendable (Database, Prepared) throws -> Result,
        kept: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws(DatabaseProblem) -> Result {
        await admission.enter(bytes: bytes)
        defer { admission.leave(bytes: bytes) }
        let prepared = try prepare()
        return try await submit(bytes: bytes, { db in try body(db, prepared) }, kept).get()
    }

    /// The same for a write that is small.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(DatabaseProblem) -> Result {
        try await write(bytes: 0, prepare: {}, { db, _ in try body(db) })
    }

    /// Refuses further writes, and returns when those that were taken are done.
    ///
    /// - Returns: Whether it was open.
    func close() async -> Bool {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        if wasClosed { return false }
        await withCheckedContinuation { continuation in
            // Behind the transactions in the writer's queue.
            pool.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
        return true
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private func submit<Value: Sendable>(
        bytes: Int, _ body: @escaping @Sendable (Database) throws -> Value,
        _ kept: @escaping @Sendable (Value) -> Void
    ) async -> Result<Value, DatabaseProblem> {
        await withCheckedContinuation { continuation in
            let folder = folder
            add(
                Job(
                    byteCount: bytes,
                    run: { db in
                        let value = try body(db)
                        return {
                            kept(value)
                            continuation.resume(returning: .success(value))
                        }
                    },
                    fail: { error in
                        let problem = DatabaseProblem(error, in: folder)
                        continuation.resume(returning: .failure(problem))
                    }))
        }
    }

    private func add(_ job: Job) {
        let (isClosed, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.pending.append(job)
            defer { state.isRunning = true }
            return (false, !state.isRunning)
        }
        if isClosed { job.fail(DatabaseProblem.closed) }
        guard isFirst else { return }
        pool.asyncWriteWithoutTransaction { [self] db in
            while let jobs = nextJobs() {
                keep(jobs, db)
                log.tidy(db)
                space.regainReserve()
            }
        }
    }

    /// `nil` when nothing waits any more; whoever comes then starts anew.
    private func nextJobs() -> [Job]? {
        state.withLock { state in
            var count = 0
            var bytes = 0
            for job in state.pending.prefix(Self.jobsPerTransaction) {
                bytes += job.byteCount
                guard count == 0 || bytes <= Self.bytesPerTransaction else { break }
                count += 1
            }
            guard count > 0 else {
                state.isRunning = false
                return nil
            }
            let jobs = Array(state.pending.prefix(count))
            state.pending.removeFirst(count)
            return jobs
        }
    }

    /// Runs jobs in one transaction, without those that make it impossible. On a full disk it has the
    /// reserve.
    private func keep(_ jobs: [Job], _ db: Database) {
        do { return try Transaction(db, hasSavepoints: false).keep(jobs, lastly) } catch {
            let isFull = DatabaseProblem(error, in: folder).reason == .full
            if isFull, space.releaseReserve() { return keep(jobs, db) }
        }
        var jobs = jobs
        while !jobs.isEmpty {
            let run = Transaction(db, hasSavepoints: true)
            do {
                try run.keep(jobs, lastly)
                return
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
        /// Whether a job that fails is undone alone. Otherwise all are.
        private let hasSavepoints: Bool
        private var answers: [() -> Void] = []
        /// The job in which SQLite rolled the whole transaction back, as it does on a full disk.
        private(set) var culprit: Int?

        init(_ db: Database, hasSavepoints: Bool) {
            self.db = db
            self.hasSavepoints = hasSavepoints
        }

        /// Runs the jobs, brings the transaction to the disk, and tells the callers; tells nobody
        /// where it throws.
        func keep(
            _ jobs: [Job], _ lastly: (Database) throws -> @Sendable () -> Void
        ) throws {
            try db.inTransaction(.immediate) {
                for index in jobs.indices { try run(jobs[index], at: index) }
                answers.insert(try lastly(db), at: 0)
                return .commit
            }
            for answer in answers { answer() }
        }

        private func run(_ job: Job, at index: Int) throws {
            guard hasSavepoints else {
                answers.append(try job.run(db))
                return
            }
            try db.cachedStatement(sql: "SAVEPOINT job").execute()
            do {
                answers.append(try job.run(db))
            } catch {
                guard db.isInsideTransaction else {
                    culprit = index
                    throw error
                }
                try db.cachedStatement(sql: "ROLLBACK TO job").execute()
                answers.append { job.fail(error) }
            }
            try db.cachedStatement(sql: "RELEASE job").execute()
        }
    }
}
