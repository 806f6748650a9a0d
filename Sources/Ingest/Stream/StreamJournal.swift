import CallStacks
import Problems
import Synchronization

/// An in-memory journal for requests of a stream. The stream keeps the requests until they are
/// finished.
///
/// The worker and the exporters read it like any journal. An entry is finished once all of them
/// have passed it. If a request lacks symbols of the app, the worker stores it in the node's own
/// journal, which then processes it. So the database contains only diagnostics that wait for
/// symbols.
public final class StreamJournal: Journal {
    struct State {
        /// In ascending order, without gaps.
        var items: [Item] = []
        /// The number of the first item.
        var first: Int64 = 1
        var byteCount: Int64 = 0
        /// The size of all entries that the worker has finished.
        var processedBytes: Int64 = 0
        var cursors: [String: Int64]
        let bytesLimit: Int64
        private(set) var hasCapacity = true

        init(cursors: [String: Int64], bytesLimit: Int64) {
            self.cursors = cursors
            self.bytesLimit = bytesLimit
            updateRoom()
        }

        /// The number of the last entry.
        var last: Int64 { first + Int64(items.count) - 1 }

        /// Call this when an item was added or removed.
        mutating func updateRoom() {
            let divisor = hasCapacity ? 1 : 2
            hasCapacity =
                byteCount < bytesLimit / Int64(divisor) && items.count < countLimit / divisor
        }
    }

    struct Item: Sendable {
        let draft: JournalDraft
        let origin: any StreamedRequest
        /// Whether the journal of the node has the request.
        var isStored = false
    }

    let state: Mutex<State>
    private let store: @Sendable ([JournalDraft]) async throws(JournalError) -> Void
    private let stored: @Sendable ([EntryKey]) async throws(JournalError) -> Set<EntryKey>

    /// The maximum number of unfinished entries.
    private static let countLimit = 20_000

    /// - Parameters:
    ///   - exporters: The names of the exporters.
    ///   - bytesLimit: The size of entries beyond which there is no room for more.
    ///   - store: Stores requests in the journal of the node.
    ///   - stored: Returns the keys of requests that any node has stored, among some keys.
    public init(
        exporters: [String], bytesLimit: Int64,
        store: @escaping @Sendable ([JournalDraft]) async throws(JournalError) -> Void,
        stored: @escaping @Sendable ([EntryKey]) async throws(JournalError) -> Set<EntryKey>
    ) {
        let readers = [JournalReaders.worker] + exporters
        state = Mutex(
            State(cursors: Dictionary(readers.map { ($0, 0) }) { $1 }, bytesLimit: bytesLimit))
        self.store = store
        self.stored = stored
    }

    /// Whether more requests may be added. Once there is no room, half of them have to be finished
    /// first, so that the stream is not paused for each one.
    public var hasCapacity: Bool { state.withLock(\.hasCapacity) }

    /// Adds a request.
    public func add(_ draft: JournalDraft, from origin: any StreamedRequest) {
        state.withLock { state in
            state.items.append(Item(draft: draft, origin: origin))
            state.byteCount += Int64(draft.body.count)
            state.updateRoom()
        }
    }

    /// Moves a cursor, and finishes the entries that every reader has passed.
    public func advance(_ reader: String, to number: Int64) async throws(JournalError) {
        let finished = state.withLock { state in
            let cursor = state.cursors[reader] ?? 0
            state.cursors[reader] = min(max(cursor, number), state.last)
            return state.removePassed()
        }
        for item in finished { item.origin.finish() }
    }

    /// Stores the requests of diagnostics that wait for symbols of the app in the node's own
    /// journal, and moves the worker's cursor.
    ///
    /// A request that was stored during an earlier delivery is not exported from here, even if its
    /// diagnostics no longer wait: the node that stored it sends them, with its own revisions.
    public func commit(_ commit: WorkerCommit) async throws(JournalError) {
        let waiting = Set(commit.diagnostics.filter(\.wantsAppImages).map(\.address.entry))
        let others = Set(commit.diagnostics.map(\.address.entry)).subtracting(waiting)
        try await store(current(waiting))
        try await markStored(among: current(others))
        state.withLock { $0.countProcessed(upTo: commit.lastNumber) }
        try await advance(JournalReaders.worker, to: commit.lastNumber)
    }

    /// Returns the entries, among those with the given numbers, that this node has to finish and
    /// that are not stored.
    private func current(_ numbers: Set<Int64>) -> [JournalEntry] {
        let items = state.withLock { state in
            numbers.sorted().compactMap { number in state.item(number).map { (number, $0) } }
        }
        return items.filter { !$0.1.isStored && $0.1.origin.isCurrent }.map {
            JournalEntry(number: $0, draft: $1.draft)
        }
    }

    private func store(_ entries: [JournalEntry]) async throws(JournalError) {
        guard !entries.isEmpty else { return }
        try await store(entries.map(\.draft))
        state.withLock { state in for entry in entries { state.markStored(entry.number) } }
    }

    private func markStored(among entries: [JournalEntry]) async throws(JournalError) {
        guard !entries.isEmpty else { return }
        let known = try await stored(entries.map(\.draft.key))
        state.withLock { state in
            for entry in entries where known.contains(entry.draft.key) {
                state.markStored(entry.number)
            }
        }
    }

    /// Whether the results of an entry are to be exported: it is not stored, and no other node has
    /// its request.
    func isExported(_ number: Int64) -> Bool {
        let item = state.withLock { $0.item(number) }
        return item.map { !$0.isStored && $0.origin.isCurrent } ?? false
    }
}

extension StreamJournal.State {
    func item(_ number: Int64) -> StreamJournal.Item? {
        let index = Int(number - first)
        return items.indices.contains(index) ? items[index] : nil
    }

    func entry(_ number: Int64) -> JournalEntry? {
        item(number).map { JournalEntry(number: number, draft: $0.draft) }
    }

    fileprivate mutating func markStored(_ number: Int64) {
        let index = Int(number - first)
        if items.indices.contains(index) { items[index].isStored = true }
    }

    fileprivate mutating func countProcessed(upTo number: Int64) {
        let start = (cursors[JournalReaders.worker] ?? 0) + 1
        guard start <= number else { return }
        for entry in start...number {
            processedBytes += Int64(item(entry)?.draft.body.count ?? 0)
        }
    }

    /// Removes and returns the items that every reader has passed.
    fileprivate mutating func removePassed() -> [StreamJournal.Item] {
        let passed = cursors.values.min() ?? 0
        let count = Int(passed - first + 1)
        guard count > 0 else { return [] }
        let removed = Array(items.prefix(count))
        items.removeFirst(count)
        first = passed + 1
        byteCount -= removed.reduce(0) { $0 + Int64($1.draft.body.count) }
        updateRoom()
        return removed
    }

    /// Returns the backlog of a reader after a number.
    func backlog(after number: Int64, of reader: String) -> Backlog {
        let waiting = items.suffix(Int(max(last - number, 0)))
        return Backlog(
            bytes: waiting.reduce(0) { $0 + Int64($1.draft.body.count) },
            count: Int64(waiting.count), oldest: waiting.first?.draft.arrival,
            reader: waiting.isEmpty ? nil : reader)
    }
}
