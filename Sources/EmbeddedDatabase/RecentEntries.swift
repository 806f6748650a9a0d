import Ingest
import Synchronization

/// The newest entries of the journal as they were given, for the worker: what was kept a moment ago
/// is neither read nor unpacked again.
///
/// Always a run of entries without a gap. They leave when the worker is done with them; beyond the
/// bound no more come in until it has caught up, and it reads those from the file.
final class RecentEntries: Sendable {
    private struct State {
        /// One number behind the other.
        var entries: [JournalEntry] = []
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let bytesLimit: Int

    /// - Parameter bytesLimit: Of bodies.
    init(bytesLimit: Int = 8 << 20) { self.bytesLimit = bytesLimit }

    /// To be told in the order of the numbers, of entries that are on the disk.
    func add(_ drafts: [JournalDraft], numbers: [Int64]) {
        state.withLock { state in
            for (number, draft) in zip(numbers, drafts) {
                if let last = state.entries.last, last.number + 1 != number { return }
                guard state.byteCount + draft.body.count <= bytesLimit else { return }
                state.entries.append(JournalEntry(number: number, draft: draft))
                state.byteCount += draft.body.count
            }
        }
    }

    /// Forgets entries up to and with `number`.
    func drop(upTo number: Int64) {
        state.withLock { state in
            let count = state.entries.prefix { $0.number <= number }.count
            for entry in state.entries.prefix(count) { state.byteCount -= entry.draft.body.count }
            state.entries.removeFirst(count)
        }
    }

    /// As ``Journal/entries(after:count:bytes:)``; none where the next one is not here.
    func entries(after number: Int64, count: Int, bytes: Int) -> [JournalEntry] {
        state.withLock { state in
            guard let first = state.entries.first, number + 1 >= first.number else { return [] }
            var found: [JournalEntry] = []
            var sum = 0
            for entry in state.entries.dropFirst(Int(number + 1 - first.number)).prefix(count) {
                sum += entry.draft.body.count
                if !found.isEmpty, sum > bytes { break }
                found.append(entry)
            }
            return found
        }
    }
}
