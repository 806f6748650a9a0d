import Ingest
import JournalSupport
import Problems

/// A journal whose entries before a number are archived in a bucket that is away, or whose commits
/// fail.
struct FailingJournal: ForwardingJournal {
    let inner: any Journal
    var firstStored: Int64 = 0
    /// Called before each commit.
    var beforeCommit: @Sendable () throws(JournalError) -> Void = {}
    /// Called after each commit that has taken effect.
    var afterCommit: @Sendable () throws(JournalError) -> Void = {}

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

    func commit(_ commit: WorkerCommit) async throws(JournalError) {
        try beforeCommit()
        try await inner.commit(commit)
        try afterCommit()
    }
}
