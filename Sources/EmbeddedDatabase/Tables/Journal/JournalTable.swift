import CallStacks
import Decompression
import Foundation
import GRDB
import Ingest

/// The tables of the journal and its readers.
struct JournalTable {
    /// The position of a reader, or the end of the journal.
    struct Cursor {
        /// The number of an entry.
        var number: Int64
        /// The stored size of all entries up to and including that one, in bytes.
        var total: Int64
    }

    let db: Database

    init(_ db: Database) { self.db = db }

    /// - Returns: The number of each draft, or `nil` for a repeatable one that was appended before.
    func append(_ drafts: [StoredDraft]) throws -> [Int64?] {
        try drafts.map { draft in
            if draft.isRepeatable, try isKnown(payload: draft.key) { return nil }
            return try insert(draft)
        }
    }

    /// The total is that of ``end()`` and the size of the draft, computed here because a query for
    /// each request would cost as much as the insertion.
    private func insert(_ draft: StoredDraft) throws -> Int64 {
        try db.run(
            """
            INSERT INTO journal (key, arrival, signal, total, size, form, body, app)
            VALUES (?, ?, ?,
                coalesce((SELECT total FROM journal ORDER BY number DESC LIMIT 1),
                    (SELECT max(passed) FROM reader), 0) + ?,
                ?, ?, ?, ?)
            """,
            [
                draft.key, draft.arrival.rawValue, draft.kind.rawValue,
                draft.body.bytes.count, draft.body.size, draft.body.form.rawValue, draft.data,
                draft.app,
            ])
        return db.lastInsertedRowID
    }

    /// Returns the position of the last entry ever appended, which may have been removed.
    func end() throws -> Cursor {
        let row = try db.first(
            "SELECT number, total FROM journal ORDER BY number DESC LIMIT 1")
        if let row { return Cursor(number: row[0], total: row[1]) }
        // The journal is empty, so every reader has passed all entries.
        let rest = try db.first(
            """
            SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal'), 0),
                coalesce((SELECT max(passed) FROM reader), 0)
            """)
        return Cursor(number: rest?[0] ?? 0, total: rest?[1] ?? 0)
    }

    /// Returns the cursor of the slowest reader.
    func slowestCursor() throws -> Cursor? {
        try db.first("SELECT place, passed FROM reader ORDER BY place LIMIT 1")
            .map { Cursor(number: $0[0], total: $0[1]) }
    }

    /// Returns the backlog of the slowest reader other than ``JournalReaders/unsent``.
    ///
    /// - Parameter end: The end of the journal.
    func backlog(before end: Cursor) throws -> Backlog {
        let row = try db.first(
            """
            SELECT name, place, passed FROM reader WHERE name <> ?
            ORDER BY place, name <> ?, name LIMIT 1
            """, [JournalReaders.unsent, JournalReaders.worker])
        guard let row else { return Backlog() }
        return try backlog(
            of: row[0], after: Cursor(number: row[1], total: row[2]), before: end)
    }

    func workerBacklog(before end: Cursor) throws -> WorkerBacklog {
        let processed =
            try storedCursor(of: JournalReaders.worker) ?? Cursor(number: 0, total: 0)
        return WorkerBacklog(
            bytes: max(end.total - processed.total, 0),
            count: max(end.number - processed.number, 0), processedBytes: processed.total)
    }

    func backlog(of reader: String) throws -> Backlog {
        guard let cursor = try storedCursor(of: reader) else { return Backlog() }
        return try backlog(of: reader, after: cursor, before: end())
    }

    private func backlog(
        of reader: String, after cursor: Cursor, before end: Cursor
    ) throws -> Backlog {
        guard cursor.number < end.number else { return Backlog() }
        let arrival = try db.first(
            "SELECT arrival FROM journal WHERE number > ? ORDER BY number LIMIT 1",
            [cursor.number])
        return Backlog(
            bytes: end.total - cursor.total, count: end.number - cursor.number,
            oldest: arrival.map { UnixTime(rawValue: $0[0]) }, reader: reader)
    }

    func cursor(of reader: String) throws -> Int64? { try storedCursor(of: reader)?.number }

    func storedCursor(of reader: String) throws -> Cursor? {
        try db.first("SELECT place, passed FROM reader WHERE name = ?", [reader])
            .map { Cursor(number: $0[0], total: $0[1]) }
    }

    /// Returns the cursor of a reader. A new reader starts after the last entry.
    func cursorOrEnd(of reader: String) throws -> Int64 {
        if let cursor = try cursor(of: reader) { return cursor }
        let end = try end()
        try put(reader, at: end)
        return end.number
    }

    /// Moves a cursor, but never back and never past the last entry.
    func advance(_ reader: String, to number: Int64) throws {
        let end = try end()
        if number >= end.number { return try put(reader, at: end) }
        let total = try db.first(
            "SELECT total FROM journal WHERE number <= ? ORDER BY number DESC LIMIT 1", [number])
        let slowest = try slowestCursor()
        try put(reader, at: Cursor(number: number, total: total?[0] ?? slowest?.total ?? 0))
    }

    func put(_ reader: String, at cursor: Cursor) throws {
        try db.run(
            """
            INSERT INTO reader (name, place, passed) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET place = excluded.place, passed = excluded.passed
            WHERE excluded.place > place
            """, [reader, cursor.number, cursor.total])
    }

    /// Returns entries that are still compressed, so that the snapshot ends before they are
    /// decompressed.
    func entries(after number: Int64, count: Int, bytes: Int) throws -> [StoredEntry] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(StoredEntry.columns) FROM journal
                WHERE number > ? ORDER BY number LIMIT ?
                """)
        let rows = try Row.fetchCursor(statement, arguments: [number, count])
        var entries: [StoredEntry] = []
        var sum = 0
        while let row = try rows.next() {
            // The size is known before the body is read.
            sum += min(row[4], PackedBody.sizeLimit)
            if !entries.isEmpty, sum > bytes { break }
            entries.append(try StoredEntry(row))
        }
        return entries
    }

    /// Returns the first of the entries with the given numbers, up to a total size in bytes.
    func entries(_ numbers: [Int64], bytes: Int) throws -> [StoredEntry] {
        var entries: [StoredEntry] = []
        var sum = 0
        for number in numbers {
            let row = try db.first(
                "SELECT \(StoredEntry.columns) FROM journal WHERE number = ?", [number])
            guard let row else { continue }
            sum += min(row[4], PackedBody.sizeLimit)
            if sum > bytes { break }
            entries.append(try StoredEntry(row))
        }
        return entries
    }

    /// Whether a MetricKit payload was appended before. The keys of the newest million are kept
    /// after their entries are removed.
    func isKnown(payload key: Data) throws -> Bool {
        // SQLite uses the partial index only if the signal is a literal.
        try db.first(
            """
            SELECT 1 FROM journal WHERE signal = 4 AND key = ?1
            UNION ALL SELECT 1 FROM seen_payload WHERE key = ?1 LIMIT 1
            """, [key]) != nil
    }
}
