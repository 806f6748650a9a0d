import Decompression
import Ingest
import PostgreSQL
import Synchronization
import TaskCoordination

/// Batches concurrent appends into transactions, so that they share a commit.
///
/// Appends accumulate while a transaction is running; the next one contains all of them, up to a
/// limit. An append returns once it is durable, or fails after a time limit, so that requests are
/// rejected while the database is slow. Cancelling the calling task has no effect.
final class AppendQueue: Sendable {
    /// Writes drafts in one transaction, and returns the number of each, or `nil` for those that
    /// were appended before.
    typealias Write = @Sendable ([StoredDraft]) async throws -> [Int64?]

    /// An append that waits for its transaction.
    private struct Job: Sendable {
        let call: Int
        let drafts: [StoredDraft]
        let resume: @Sendable (Result<[Int64?], JournalError>) -> Void

        var isRepeatable: Bool { drafts.contains(where: \.isRepeatable) }
    }

    /// The calls that wait for the results of their appends.
    private struct Calls {
        struct Call {
            let continuation: CheckedContinuation<Result<[Int64?], JournalError>, Never>
            let deadline: ContinuousClock.Instant
        }

        var waiting: [Int: Call] = [:]
        var count = 0
        /// The error of all calls after ``AppendQueue/refuse(_:)``.
        var refusal: JournalError?
    }

    private let calls = Mutex(Calls())
    private let admission = WeightedSemaphore(weightLimit: 64 << 20, countLimit: 4_096)
    private let pending = Mutex(
        PendingJobs<Job>(countLimit: jobsPerTransaction, bytesLimit: bytesPerTransaction))
    private let timeLimit: Duration
    private let write: Write

    /// The limits of one transaction. A single larger append has a transaction of its own.
    private static let jobsPerTransaction = 512
    private static let bytesPerTransaction = 16 << 20

    /// - Parameter timeLimit: The maximum time for which an append waits.
    init(timeLimit: Duration, write: @escaping Write) {
        self.timeLimit = timeLimit
        self.write = write
    }

    /// Appends all or none of the drafts, and returns their numbers.
    ///
    /// - Parameter afterCommit: Called before the append returns, in the order of the numbers.
    /// - Throws: `JournalError`. After the time limit, the append may still take effect if its
    ///   transaction is running.
    func append(
        _ drafts: [JournalDraft], afterCommit: @escaping @Sendable ([Int64?]) -> Void
    ) async throws(JournalError) -> [Int64?] {
        let deadline = ContinuousClock.now.advanced(by: timeLimit)
        let bytes = drafts.reduce(0) { $0 + $1.body.count }
        guard await admission.acquire(weight: bytes, until: deadline) else {
            throw .late(after: timeLimit)
        }
        defer { admission.release(weight: bytes) }
        let stored: [StoredDraft]
        do {
            stored = try drafts.map { try StoredDraft($0) }
        } catch {
            throw JournalError(error)
        }
        let result = await withCheckedContinuation { continuation in
            guard let call = begin(Calls.Call(continuation: continuation, deadline: deadline))
            else { return }
            add(
                Job(
                    call: call, drafts: stored,
                    resume: { [self] result in
                        guard let continuation = end(call) else { return }
                        if case .success(let numbers) = result { afterCommit(numbers) }
                        continuation.resume(returning: result)
                    }), byteCount: bytes)
        }
        return try result.get()
    }

    /// Fails all waiting and later appends with an error.
    ///
    /// Those whose transaction is running may still take effect.
    func refuse(_ error: JournalError) {
        let waiting = calls.withLock { calls in
            calls.refusal = error
            defer { calls.waiting = [:] }
            return calls.waiting.values
        }
        for call in waiting { call.continuation.resume(returning: .failure(error)) }
    }

    /// Fails the calls that have reached their deadline.
    private func refuseLateCalls() {
        let now = ContinuousClock.now
        let late = calls.withLock { calls in
            let late = calls.waiting.filter { $0.value.deadline <= now }
            for call in late.keys { calls.waiting[call] = nil }
            return late.values
        }
        for call in late { call.continuation.resume(returning: .failure(.late(after: timeLimit))) }
    }

    /// Registers a waiting call and returns its number, or `nil` if it is refused.
    private func begin(_ call: Calls.Call) -> Int? {
        let (number, refusal) = calls.withLock { calls -> (Int, JournalError?) in
            calls.count += 1
            if calls.refusal == nil { calls.waiting[calls.count] = call }
            return (calls.count, calls.refusal)
        }
        guard let refusal else { return number }
        call.continuation.resume(returning: .failure(refusal))
        return nil
    }

    /// Returns the continuation of a call, or `nil` if it was refused.
    private func end(
        _ call: Int
    ) -> CheckedContinuation<Result<[Int64?], JournalError>, Never>? {
        calls.withLock { $0.waiting.removeValue(forKey: call)?.continuation }
    }

    private func isWaiting(_ call: Int) -> Bool { calls.withLock { $0.waiting[call] != nil } }

    private func add(_ job: Job, byteCount: Int) {
        let isFirst = pending.withLock { $0.add(job, byteCount: byteCount) }
        guard isFirst else { return }
        // A separate task, because the caller's may be cancelled, and other appends depend on this
        // one.
        Task {
            let watch = Task { try await refuseLateCallsRepeatedly() }
            while let jobs = pending.withLock({ $0.next() }) {
                await commit(jobs.filter { isWaiting($0.call) })
            }
            watch.cancel()
        }
    }

    private func refuseLateCallsRepeatedly() async throws {
        while true {
            try await Task.sleep(for: timeLimit / 10)
            refuseLateCalls()
        }
    }

    /// Commits the appends with repeatable drafts in a separate transaction, because only these can
    /// be retried if the outcome is unknown.
    private func commit(_ jobs: [Job]) async {
        await commitTogether(jobs.filter { !$0.isRepeatable })
        await commitTogether(jobs.filter(\.isRepeatable))
    }

    private func commitTogether(_ jobs: [Job]) async {
        if jobs.isEmpty { return }
        do {
            var numbers = try await write(jobs.flatMap(\.drafts))[...]
            for job in jobs {
                job.resume(.success(Array(numbers.prefix(job.drafts.count))))
                numbers = numbers.dropFirst(job.drafts.count)
            }
        } catch {
            guard jobs.count > 1, isAboutValues(error) else {
                for job in jobs { job.resume(.failure(JournalError(error))) }
                return
            }
            for job in jobs { await commitTogether([job]) }
        }
    }

    /// Whether a value in one of the appends may be the cause, such as a text that the database
    /// rejects.
    private func isAboutValues(_ error: any Error) -> Bool {
        switch error as? DatabaseError {
        case .invalidStatement: true
        // Class 22 of the codes: data exception.
        case .server(let server): server.sqlState.hasPrefix("22")
        default: false
        }
    }
}
