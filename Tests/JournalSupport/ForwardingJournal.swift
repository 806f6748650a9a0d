public import CallStacks
public import Ingest

/// A journal that passes on all calls that it does not implement itself.
public protocol ForwardingJournal: Journal {
    var inner: any Journal { get }
}

extension ForwardingJournal {
    public func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?] {
        try await inner.append(drafts)
    }

    public func appended(_ keys: [EntryKey]) async throws(JournalError) -> Set<EntryKey> {
        try await inner.appended(keys)
    }

    public func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await inner.entries(after: number, count: count, bytes: bytes)
    }

    public func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        try await inner.entry(number)
    }

    public func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await inner.entries(numbers, bytes: bytes)
    }

    public func cursor(of reader: String) async throws(JournalError) -> Int64 {
        try await inner.cursor(of: reader)
    }

    public func readers() async throws(JournalError) -> [ReaderStatus] {
        try await inner.readers()
    }

    public func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError) {
        try await inner.reconcile(reconciliation)
    }

    public func backlog(of reader: String) async throws(JournalError) -> Backlog {
        try await inner.backlog(of: reader)
    }

    public func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await inner.trimUnsent(keeping: bytes)
    }

    public func dropUnsent(
        before oldest: UnixTime, count: Int
    ) async throws(JournalError) -> Backlog {
        try await inner.dropUnsent(before: oldest, count: count)
    }

    public func advance(_ reader: String, to number: Int64) async throws(JournalError) {
        try await inner.advance(reader, to: number)
    }

    public func diagnosticsPerCommit(inRunOf count: Int) -> Int {
        inner.diagnosticsPerCommit(inRunOf: count)
    }

    public func commit(_ commit: WorkerCommit) async throws(JournalError) {
        try await inner.commit(commit)
    }

    public func backlog() async throws(JournalError) -> Backlog { try await inner.backlog() }

    public func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        try await inner.workerBacklog()
    }

    public func checkFreeSpace() async throws(JournalError) { try await inner.checkFreeSpace() }

    public func removePassed(count: Int) async throws(JournalError) -> Int {
        try await inner.removePassed(count: count)
    }
}
