public import CallStacks
import Problems
import Synchronization

/// Reading. The readers are fixed when the journal is created, and nothing is stored on disk.
extension StreamJournal {
    /// - Throws: `JournalError` always, because requests come from the stream.
    public func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?] {
        throw JournalError(
            .other, Problem("journal", detail: "takes requests of a stream only"))
    }

    public func appended(_ keys: [EntryKey]) async throws(JournalError) -> Set<EntryKey> { [] }

    public func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        state.withLock { state in
            var entries: [JournalEntry] = []
            var total = 0
            var next = max(number + 1, state.first)
            while entries.count < count, let entry = state.entry(next) {
                total += entry.draft.body.count
                guard entries.isEmpty || total <= bytes else { break }
                entries.append(entry)
                next += 1
            }
            return entries
        }
    }

    public func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        state.withLock { $0.entry(number) }
    }

    public func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        state.withLock { state in
            var total = 0
            return numbers.sorted().compactMap { state.entry($0) }.prefix { entry in
                total += entry.draft.body.count
                return total <= bytes
            }
        }
    }

    public func cursor(of reader: String) async throws(JournalError) -> Int64 {
        state.withLock { $0.cursors[reader] ?? 0 }
    }

    public func readers() async throws(JournalError) -> [ReaderStatus] {
        state.withLock { state in
            state.cursors.sorted { $0.key < $1.key }.filter { $0.key != JournalReaders.worker }
                .map { ReaderStatus(name: $0, backlog: state.backlog(after: $1, of: $0)) }
        }
    }

    public func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError) {}

    public func backlog(of reader: String) async throws(JournalError) -> Backlog {
        state.withLock { $0.backlog(after: $0.cursors[reader] ?? $0.last, of: reader) }
    }

    public func backlog() async throws(JournalError) -> Backlog {
        state.withLock { state in
            guard let slowest = state.cursors.min(by: { $0.value < $1.value }) else {
                return Backlog()
            }
            return state.backlog(after: slowest.value, of: slowest.key)
        }
    }

    public func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        let (backlog, processed) = state.withLock { state in
            (
                state.backlog(
                    after: state.cursors[JournalReaders.worker] ?? 0, of: JournalReaders.worker),
                state.processedBytes
            )
        }
        return WorkerBacklog(
            bytes: backlog.bytes, count: backlog.count, processedBytes: processed)
    }

    public func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog { Backlog() }

    public func dropUnsent(
        before oldest: UnixTime, count: Int
    ) async throws(JournalError) -> Backlog { Backlog() }

    public func checkFreeSpace() async throws(JournalError) {}

    /// Entries are removed when the last reader passes them.
    public func removePassed(count: Int) async throws(JournalError) -> Int { 0 }
}
