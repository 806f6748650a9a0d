import CallStacks
import Ingest
import Synchronization

/// A journal that refuses to keep anything while a test says so.
final class SwitchedJournal: Journal {
    private let inner: any Journal
    private let refusal = Mutex<JournalError?>(nil)

    init(inner: any Journal) { self.inner = inner }

    func refuse(_ error: JournalError?) { refusal.withLock { $0 = error } }

    private func check() throws(JournalError) {
        if let error = refusal.withLock({ $0 }) { throw error }
    }

    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64] {
        try check()
        return try await inner.append(drafts)
    }

    func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await inner.entries(after: number, count: count, bytes: bytes)
    }

    func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        try await inner.entry(number)
    }

    func place(of reader: String) async throws(JournalError) -> Int64 {
        try await inner.place(of: reader)
    }

    func readers() async throws(JournalError) -> [ReaderStatus] { try await inner.readers() }

    func settle(_ settlement: ReaderSettlement) async throws(JournalError) {
        try await inner.settle(settlement)
    }

    func waiting(for reader: String) async throws(JournalError) -> Backlog {
        try await inner.waiting(for: reader)
    }

    func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await inner.trimUnsent(keeping: bytes)
    }

    func move(_ reader: String, to number: Int64) async throws(JournalError) {
        try await inner.move(reader, to: number)
    }

    func commit(_ work: WorkedBatch) async throws(JournalError) { try await inner.commit(work) }

    func backlog() async throws(JournalError) -> Backlog {
        try check()
        return try await inner.backlog()
    }

    func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        try await inner.workerBacklog()
    }

    func checkFreeSpace() async throws(JournalError) { try await inner.checkFreeSpace() }

    func removePassed(count: Int) async throws(JournalError) -> Int {
        try await inner.removePassed(count: count)
    }
}
