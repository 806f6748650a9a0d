import Dispatch
import Synchronization
import TaskCoordination

/// Syncs the write-ahead log concurrently with the writer: the next transaction runs during a sync,
/// and one sync covers all transactions committed before it.
///
/// A transaction is on disk once a sync that began after its commit has succeeded. All earlier
/// transactions in the log are then on disk as well.
final class LogSync: Sendable {
    /// The writes of a committed transaction, which wait until it is on disk. Exactly one of the
    /// functions is called, once.
    struct Commit: Sendable {
        let complete: @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private let queue = DispatchQueue(label: "symbolist.log-sync")
    private let pending = Mutex(PendingJobs<Commit>(countLimit: .max, bytesLimit: .max))
    /// Whether the last sync of the log failed or is in progress.
    private let isUnconfirmed = Atomic(false)
    private let sync: @Sendable () throws -> Void
    private let replaceLog: @Sendable () throws -> Void

    /// - Parameters:
    ///   - sync: Writes the log to disk.
    ///   - replaceLog: Copies the log into the database, writes that to disk, and lets the next
    ///     transaction start a new log.
    init(
        sync: @escaping @Sendable () throws -> Void,
        replacingLog replaceLog: @escaping @Sendable () throws -> Void
    ) {
        self.sync = sync
        self.replaceLog = replaceLog
    }

    /// Completes a commit once it is on disk, in the order of the calls.
    func add(_ commit: Commit) {
        guard pending.withLock({ $0.add(commit, byteCount: 0) }) else { return }
        queue.async { [self] in
            while let commits = pending.withLock({ $0.next() }) { finish(commits) }
        }
    }

    /// Returns when all commits that were added are completed or failed.
    func drain() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    private func finish(_ commits: [Commit]) {
        do {
            try writeToDisk()
        } catch {
            for commit in commits { commit.fail(error) }
            return
        }
        for commit in commits { commit.complete() }
    }

    /// After a failed sync, the next one can succeed even though pages that could not be written
    /// are lost. Recovery would stop at that gap, so the log is replaced.
    private func writeToDisk() throws {
        let hasFailed = isUnconfirmed.exchange(true, ordering: .relaxed)
        try hasFailed ? replaceLog() : sync()
        isUnconfirmed.store(false, ordering: .relaxed)
    }
}
