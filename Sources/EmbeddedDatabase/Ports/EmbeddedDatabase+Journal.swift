public import CallStacks
import Foundation
import GRDB
public import Ingest

extension EmbeddedDatabase: Journal {
    /// The maximum number of diagnostics in a commit. Requests are stored between two commits.
    private static let commitCount = 12
    /// The number of diagnostics from which on a run is not divided. At that load, several commits
    /// would write the same pages several times.
    private static let largeRunCount = 112

    public func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?] {
        guard !drafts.isEmpty else { return [] }
        let bytes = drafts.reduce(0) { $0 + $1.body.count }
        return try await asJournal { () async throws(DatabaseProblem) in
            try space.take(Int64(bytes), unprocessedBytes: latestBacklog.worker.bytes)
            defer { space.release(Int64(bytes)) }
            return try await writer.write(
                bytes: bytes,
                prepare: { () throws(DatabaseProblem) in
                    var stored: [StoredDraft] = []
                    for draft in drafts { stored.append(try StoredDraft(draft)) }
                    return stored
                },
                { db, stored in try JournalTable(db).append(stored) },
                afterCommit: { [recent] numbers in recent.add(drafts, numbers: numbers) })
        }
    }

    public func appended(_ keys: [EntryKey]) async throws(JournalError) -> Set<EntryKey> {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in
                let table = JournalTable(db)
                return Set(try keys.filter { try table.isKnown(payload: Data($0.bytes)) })
            }
        }
    }

    public func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        if writer.isClosed { throw JournalError(.closed) }
        // The worker calls this after each run, and usually there are no new entries.
        guard count > 0, number < latestBacklog.lastNumber else { return [] }
        let recent = recent.entries(after: number, count: count, bytes: bytes)
        if !recent.isEmpty { return recent }
        return try await entries { db in
            try JournalTable(db).entries(after: number, count: count, bytes: bytes)
        }
    }

    public func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await entries { db in try JournalTable(db).entries(numbers, bytes: bytes) }
    }

    private func entries(
        _ find: @escaping @Sendable (Database) throws -> [StoredEntry]
    ) async throws(JournalError) -> [JournalEntry] {
        try await asJournal { () async throws(DatabaseProblem) in
            var entries: [JournalEntry] = []
            for entry in try await read(find) { entries.append(try entry.entry()) }
            return entries
        }
    }

    public func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        guard number > 0 else { return nil }
        let next = try await entries(after: number - 1, count: 1, bytes: 0).first
        return next?.number == number ? next : nil
    }

    public func cursor(of reader: String) async throws(JournalError) -> Int64 {
        try await asJournal { () async throws(DatabaseProblem) in
            if let cursor = try await read({ db in try JournalTable(db).cursor(of: reader) }) {
                return cursor
            }
            return try await writer.write { db in try JournalTable(db).cursorOrEnd(of: reader) }
        }
    }

    public func readers() async throws(JournalError) -> [ReaderStatus] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try ReaderTable(db).all() }
        }
    }

    public func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try ReaderTable(db).reconcile(reconciliation) }
        }
    }

    /// Drops a reader, its backlog and its dead letters.
    public func dropReader(_ name: String) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try ReaderTable(db).remove(name)
                try DeadLetterTable(db).remove(of: name)
            }
        }
    }

    public func backlog(of reader: String) async throws(JournalError) -> Backlog {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try JournalTable(db).backlog(of: reader) }
        }
    }

    public func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try ReaderTable(db).trimUnsent(keeping: bytes) }
        }
    }

    public func dropUnsent(
        before oldest: UnixTime, count: Int
    ) async throws(JournalError) -> Backlog {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try ReaderTable(db).dropUnsent(before: oldest, count: count)
            }
        }
    }

    public func advance(_ reader: String, to number: Int64) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try JournalTable(db).advance(reader, to: number) }
        }
        if reader == JournalReaders.worker { recent.drop(upTo: number) }
    }

    public func diagnosticsPerCommit(inRunOf count: Int) -> Int {
        count < Self.largeRunCount ? Self.commitCount : .max
    }

    public func commit(_ commit: WorkerCommit) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                guard try DiagnosticTable(db).areCurrent(commit.expected) else {
                    throw DatabaseProblem.conflict
                }
                try DiagnosticTable(db).store(commit)
                try FigureTable(db).store(commit.payloads)
                try JournalTable(db).advance(JournalReaders.worker, to: commit.lastNumber)
            }
        }
        recent.drop(upTo: commit.lastNumber)
    }

    public func backlog() async throws(JournalError) -> Backlog {
        if writer.isClosed { throw JournalError(.closed) }
        return latestBacklog.all
    }

    public func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        if writer.isClosed { throw JournalError(.closed) }
        return latestBacklog.worker
    }

    public func checkFreeSpace() async throws(JournalError) {
        do throws(DatabaseProblem) {
            try space.check(unprocessedBytes: latestBacklog.worker.bytes)
        } catch { throw JournalError(error) }
    }

    public func removePassed(count: Int) async throws(JournalError) -> Int {
        let limits = space.limits
        let removed = try await inChunks(of: count) { db, count in
            let removed = try EntryRemoval(db).removePassed(count: count)
            try FreePages(db, limits).releaseSome()
            return removed
        }
        while space.isScarce, try await releasePages() {}
        return removed
    }

    /// Returns more free pages to the file system.
    ///
    /// - Returns: Whether there were any.
    private func releasePages() async throws(JournalError) -> Bool {
        let limits = space.limits
        return try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try FreePages(db, limits).releaseSome() }
        }
    }

    /// Runs a removal in several short transactions, so that appends can run in between.
    func inChunks(
        of count: Int, _ body: @escaping @Sendable (Database, Int) throws -> Int
    ) async throws(JournalError) -> Int {
        try await inChunks(of: count, atMost: 500, body) { $0 }.reduce(0, +)
    }

    /// Writes up to a number of items in several short transactions, so that appends can run in
    /// between.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of items of a transaction.
    ///   - body: Writes at most the given number of items.
    ///   - size: Returns the number of items in a result. If it is less than the limit, no items
    ///     are left.
    /// - Returns: The results of `body`.
    func inChunks<Result: Sendable>(
        of count: Int, atMost limit: Int,
        _ body: @escaping @Sendable (Database, Int) throws -> Result, size: (Result) -> Int
    ) async throws(JournalError) -> [Result] {
        var results: [Result] = []
        var done = 0
        while done < count {
            let chunk = min(count - done, limit)
            let result = try await asJournal { () async throws(DatabaseProblem) in
                try await writer.write { db in try body(db, chunk) }
            }
            results.append(result)
            done += size(result)
            if size(result) < chunk { break }
        }
        return results
    }

    func asJournal<Value>(
        _ body: () async throws(DatabaseProblem) -> Value
    ) async throws(JournalError) -> Value {
        do {
            return try await body()
        } catch {
            throw JournalError(error)
        }
    }
}
