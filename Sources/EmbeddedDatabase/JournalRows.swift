import CallStacks
import Foundation
import GRDB
import Ingest

/// The rows of the journal and of its readers.
struct JournalRows {
    /// Where the journal ends, or how far a reader has come.
    struct Place {
        /// Of an entry.
        var number: Int64
        /// The stored size of all entries up to and with that one, in bytes.
        var total: Int64
    }

    let db: Database

    init(_ db: Database) { self.db = db }

    func append(_ drafts: [StoredDraft]) throws -> [Int64] {
        var total = try end().total
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO journal (key, arrival, signal, total, size, form, body, app)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var numbers: [Int64] = []
        for draft in drafts {
            total += Int64(draft.body.bytes.count)
            try statement.execute(
                arguments: [
                    draft.key, draft.arrival.rawValue, draft.signal.rawValue, total,
                    draft.body.size, draft.body.form.rawValue, draft.body.bytes, draft.app,
                ])
            numbers.append(db.lastInsertedRowID)
        }
        return numbers
    }

    /// The last entry that there ever was; it may be gone.
    func end() throws -> Place {
        let row = try db.first(
            "SELECT number, total FROM journal ORDER BY number DESC LIMIT 1")
        if let row { return Place(number: row[0], total: row[1]) }
        // Nothing is left, so every reader has passed everything.
        let rest = try db.first(
            """
            SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal'), 0),
                coalesce((SELECT max(passed) FROM reader), 0)
            """)
        return Place(number: rest?[0] ?? 0, total: rest?[1] ?? 0)
    }

    /// Of the slowest reader.
    func slowestPlace() throws -> Place? {
        try db.first("SELECT place, passed FROM reader ORDER BY place LIMIT 1")
            .map { Place(number: $0[0], total: $0[1]) }
    }

    /// What waits for the slowest reader, other than the one that stands for no exporter.
    func backlog() throws -> Backlog {
        let row = try db.first(
            """
            SELECT name, place, passed FROM reader WHERE name <> ?
            ORDER BY place, name <> ?, name LIMIT 1
            """, [JournalReaders.unsent, JournalReaders.worker])
        guard let row else { return Backlog() }
        return try waiting(for: row[0], from: Place(number: row[1], total: row[2]))
    }

    func workerBacklog() throws -> WorkerBacklog {
        let worked: Int64 =
            try db.first("SELECT passed FROM reader WHERE name = ?", [JournalReaders.worker])?[0]
            ?? 0
        return WorkerBacklog(bytes: max(try end().total - worked, 0), workedBytes: worked)
    }

    func waiting(for reader: String) throws -> Backlog {
        try storedPlace(of: reader).map { try waiting(for: reader, from: $0) } ?? Backlog()
    }

    private func waiting(for reader: String, from place: Place) throws -> Backlog {
        let end = try end()
        guard place.number < end.number else { return Backlog() }
        let arrival = try db.first(
            "SELECT arrival FROM journal WHERE number > ? ORDER BY number LIMIT 1",
            [place.number])
        return Backlog(
            bytes: end.total - place.total, count: end.number - place.number,
            oldest: arrival.map { UnixTime(rawValue: $0[0]) }, reader: reader)
    }

    func place(of reader: String) throws -> Int64? { try storedPlace(of: reader)?.number }

    func storedPlace(of reader: String) throws -> Place? {
        try db.first("SELECT place, passed FROM reader WHERE name = ?", [reader])
            .map { Place(number: $0[0], total: $0[1]) }
    }

    /// A reader that is new is put behind the last entry.
    func placeOrEnd(of reader: String) throws -> Int64 {
        if let place = try place(of: reader) { return place }
        let end = try end()
        try put(reader, at: end)
        return end.number
    }

    /// Never back, and never beyond the last entry.
    func move(_ reader: String, to number: Int64) throws {
        let end = try end()
        if number >= end.number { return try put(reader, at: end) }
        let total = try db.first(
            "SELECT total FROM journal WHERE number <= ? ORDER BY number DESC LIMIT 1", [number])
        let slowest = try slowestPlace()
        try put(reader, at: Place(number: number, total: total?[0] ?? slowest?.total ?? 0))
    }

    func put(_ reader: String, at place: Place) throws {
        try db.run(
            """
            INSERT INTO reader (name, place, passed) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET place = excluded.place, passed = excluded.passed
            WHERE excluded.place > place
            """, [reader, place.number, place.total])
    }

    /// Still packed, so that the snapshot can be left before they are unpacked.
    func entries(after number: Int64, count: Int, bytes: Int) throws -> [StoredEntry] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT number, key, arrival, signal, size, form, body, app FROM journal
                WHERE number > ? ORDER BY number LIMIT ?
                """)
        let rows = try Row.fetchCursor(statement, arguments: [number, count])
        var entries: [StoredEntry] = []
        var sum = 0
        while let row = try rows.next() {
            // Before the body is read.
            sum += min(row[4], StoredBody.sizeLimit)
            if !entries.isEmpty, sum > bytes { break }
            entries.append(try StoredEntry(row))
        }
        return entries
    }

    func isKnown(payload key: EntryKey) throws -> Bool {
        // The signal is written out, because only so the index is used.
        try db.first(
            "SELECT 1 FROM journal WHERE signal = 4 AND key = ? LIMIT 1", [Data(key.bytes)]) != nil
    }
}
