public import Ingest
import Problems
public import SharedDatabase
import Synchronization

/// Archived entries in memory.
public final class MemoryArchive: EntryArchive {
    private struct State {
        var objects: [String: [Int64: JournalEntry]] = [:]
        var isAway = false
    }

    private let state = Mutex(State())

    public init() {}

    public var isAvailable: Bool { state.withLock { !$0.isAway } }
    public var names: Set<String> { state.withLock { Set($0.objects.keys) } }

    public func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    public func entries(
        _ wanted: [WantedEntries]
    ) async throws(JournalError) -> [JournalEntry] {
        guard isAvailable else {
            throw JournalError(.unavailable, Problem("bucket", detail: "is away"))
        }
        return state.withLock { state in
            wanted.flatMap { wanted in
                wanted.entries.compactMap { state.objects[wanted.object.name]?[$0.number] }
            }
        }
    }

    public func delete(_ objects: [String]) async {
        state.withLock { state in for name in objects { state.objects[name] = nil } }
    }

    /// Archives the entries of a lane that have diagnostics, in one object.
    ///
    /// - Returns: The object, or `nil` if there are no such entries.
    @discardableResult
    public func archiveAll(of journal: LaneJournal) async throws -> ArchivedObject? {
        let start = try await journal.archiveCursor()
        let batch = try await journal.archivableEntries(after: start, bytes: .max)
        var offset: Int64 = 0
        let entries = batch.entries.map { next in
            let range = offset..<offset + 100
            offset = range.upperBound
            return ArchivedEntry(
                number: next.entry.number, range: range, digest: [UInt8](repeating: 7, count: 16))
        }
        var object: ArchivedObject?
        if let last = batch.entries.last {
            let name = "archive/\(last.day)/\(last.entry.number)"
            object = ArchivedObject(
                name: name, day: batch.entries.map(\.day).max() ?? 0, entries: entries)
            let stored = try batch.entries.map { try $0.entry.entry() }
            state.withLock { state in
                state.objects[name] = Dictionary(
                    stored.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
            }
        }
        try await journal.archive(object, from: start, to: batch.end)
        return object
    }
}
