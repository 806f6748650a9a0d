import Synchronization

/// A cache of the newest entries of the journal, so that the worker need not read and decompress
/// them.
///
/// The entries are consecutive, and are removed when the worker has finished them. Beyond the
/// limit, none are added until the worker has caught up; it reads the others from the file.
package final class RecentEntryCache: Sendable {
    private struct State {
        /// The entries, with consecutive numbers.
        var entries: [JournalEntry] = []
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let bytesLimit: Int

    /// - Parameter bytesLimit: The size limit of their bodies.
    package init(bytesLimit: Int) { self.bytesLimit = bytesLimit }

    /// Adds entries that are on disk, except those without a number. Call this in the order of
    /// their numbers.
    package func add(_ drafts: [JournalDraft], numbers: [Int64?]) {
        state.withLock { state in
            for case (let number?, let draft) in zip(numbers, drafts) {
                if let last = state.entries.last, last.number + 1 != number { return }
                guard state.byteCount + draft.body.count <= bytesLimit else { return }
                state.entries.append(JournalEntry(number: number, draft: draft))
                state.byteCount += draft.body.count
            }
        }
    }

    /// Removes entries up to and including `number`.
    package func drop(upTo number: Int64) {
        state.withLock { state in
            let count = state.entries.prefix { $0.number <= number }.count
            for entry in state.entries.prefix(count) { state.byteCount -= entry.draft.body.count }
            state.entries.removeFirst(count)
        }
    }

    /// Returns entries like ``Journal/entries(after:count:bytes:)``, or none if the next one is not
    /// in memory.
    package func entries(after number: Int64, count: Int, bytes: Int) -> [JournalEntry] {
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
