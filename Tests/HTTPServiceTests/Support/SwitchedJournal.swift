import Ingest
import JournalSupport
import Synchronization

/// A journal whose writes a test can make fail.
final class SwitchedJournal: ForwardingJournal {
    let inner: any Journal
    private let refusal = Mutex<JournalError?>(nil)

    init(inner: any Journal) { self.inner = inner }

    func refuse(_ error: JournalError?) { refusal.withLock { $0 = error } }

    private func check() throws(JournalError) {
        if let error = refusal.withLock({ $0 }) { throw error }
    }

    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?] {
        try check()
        return try await inner.append(drafts)
    }

    func backlog() async throws(JournalError) -> Backlog {
        try check()
        return try await inner.backlog()
    }
}
