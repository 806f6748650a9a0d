import Ingest
import Problems

/// A journal whose entries before a number are archived in a bucket that is away, or whose commits
/// fail.
struct FailingJournal: Journal {
    let inner: any Journal
    var firstStored: Int64 = 0
    /// Called before each commit.
    var beforeCommit: @Sendable () throws(JournalError) -> Void = {}

    private func check(_ numbers: [Int64]) throws(JournalError) {
        guard numbers.allSatisfy({ $0 >= firstStored }) else {
            throw JournalError(.unavailable, Problem("bucket", detail: "is away"))
        }
    }

    func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        try check([number])
        return try await inner.entry(number)
    }

    func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try check(numbers)
        return try await inner.entries(numbers, bytes: bytes)
    }

    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?] {
        try await inner.append(drafts)
    }

    func appended(_ keys: [EntryKey]) async throws(JournalError) -> Set<EntryKey> {
        try await inner.appended(keys)
    }

    func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await inner.entries(after: number, count: count, bytes: bytes)
    }

    func cursor(of reader: String) async throws(JournalError) -> Int64 {
        try await inner.cursor(of: reader)
    }

    func readers() async throws(JournalError) -> [ReaderStatus] { try await inner.readers() }

    func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError) {
        try await inner.reconcile(reconciliation)
    }

    func backlog(of reader: String) async throws(JournalError) -> Backlog {
        try await inner.backlog(of: reader)
    }

    func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await inner.trimUnsent(keeping: bytes)
    }

    func advance(_ reader: String, to number: Int64) async throws(JournalError) {
        try await inner.advance(reader, to: number)
    }

    func diagnosticsPerCommit(inRunOf count: Int) -> Int {
        inner.diagnosticsPerCommit(inRunOf: count)
    }

    func commit(_ commit: WorkerCommit) async throws(JournalError) {
        try beforeCommit()
        try await inner.commit(commit)
    }

    func backlog() async throws(JournalError) -> Backlog { try await inner.backlog() }

    func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        try await inner.workerBacklog()
    }

    func checkFreeSpace() async throws(JournalError) { try await inner.checkFreeSpace() }

    func removePassed(count: Int) async throws(JournalError) -> Int {
        try await inner.removePassed(count: count)
    }
}
