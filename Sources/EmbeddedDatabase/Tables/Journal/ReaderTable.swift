import CallStacks
import GRDB
import Ingest

/// The table of readers, which is reconciled with the configuration at startup.
struct ReaderTable {
    private let db: Database
    private let journal: JournalTable

    init(_ db: Database) {
        self.db = db
        journal = JournalTable(db)
    }

    /// Returns all readers except the worker, and the exporters that only have dead letters.
    func all() throws -> [ReaderStatus] {
        let letters = try DeadLetterTable(db).counts()
        let rows = try db.all(
            "SELECT name, configured FROM reader WHERE name <> ?", [JournalReaders.worker])
        var readers = try rows.map { row in
            ReaderStatus(
                name: row[0], backlog: try journal.backlog(of: row[0]),
                deadLetterCount: letters.first { $0.exporter == row[0] }?.letterCount ?? 0,
                wasConfigured: row[1])
        }
        for count in letters where !readers.contains(where: { $0.name == count.exporter }) {
            readers.append(
                ReaderStatus(
                    name: count.exporter, hasCursor: false, deadLetterCount: count.letterCount,
                    wasConfigured: false))
        }
        return readers.sorted { $0.name < $1.name }
    }

    func reconcile(_ reconciliation: ReaderReconciliation) throws {
        for rename in reconciliation.renames { try self.rename(rename.old.name, to: rename.new) }
        for name in reconciliation.removals { try remove(name) }
        guard !reconciliation.exporters.isEmpty else { return try keepUnsent() }
        let start = try journal.storedCursor(of: JournalReaders.unsent) ?? journal.end()
        for name in reconciliation.additions { try journal.put(name, at: start) }
        try remove(JournalReaders.unsent)
        try markConfigured(reconciliation.exporters)
    }

    private func rename(_ old: String, to new: String) throws {
        try db.run("UPDATE reader SET name = ? WHERE name = ?", [new, old])
        try db.run("UPDATE dead_letter SET exporter = ? WHERE exporter = ?", [new, old])
    }

    func remove(_ name: String) throws {
        try db.run("DELETE FROM reader WHERE name = ?", [name])
    }

    private func keepUnsent() throws {
        guard try journal.storedCursor(of: JournalReaders.unsent) == nil else { return }
        try journal.put(JournalReaders.unsent, at: journal.end())
    }

    /// Writes only changes, so that a service can start on a full disk.
    private func markConfigured(_ names: [String]) throws {
        for row in try db.all("SELECT name, configured FROM reader") {
            let isConfigured = names.contains(row[0])
            guard row[1] as Bool != isConfigured else { continue }
            try db.run(
                "UPDATE reader SET configured = ? WHERE name = ?", [isConfigured, row[0] as String])
        }
    }

    /// - Returns: The dropped entries.
    func trimUnsent(keeping bytes: Int64) throws -> Backlog {
        guard let cursor = try journal.storedCursor(of: JournalReaders.unsent) else {
            return Backlog()
        }
        let total = try journal.end().total - bytes
        guard cursor.total < total else { return Backlog() }
        let row = try db.first(
            """
            SELECT number, total FROM journal WHERE number > ? AND total >= ?
            ORDER BY number LIMIT 1
            """, [cursor.number, total])
        return try passUnsent(through: row, from: cursor)
    }

    /// - Returns: The dropped entries, at most `count`.
    func dropUnsent(before oldest: UnixTime, count: Int) throws -> Backlog {
        guard let cursor = try journal.storedCursor(of: JournalReaders.unsent) else {
            return Backlog()
        }
        let row = try db.first(
            """
            SELECT number, total FROM (
                SELECT number, total, arrival FROM journal WHERE number > ? ORDER BY number LIMIT ?
            ) WHERE arrival < ? ORDER BY number DESC LIMIT 1
            """, [cursor.number, count, oldest.rawValue])
        return try passUnsent(through: row, from: cursor)
    }

    /// - Parameter row: The number and the total of the last entry to drop, or `nil` for none.
    private func passUnsent(through row: Row?, from cursor: JournalTable.Cursor) throws -> Backlog {
        guard let row else { return Backlog() }
        let next = JournalTable.Cursor(number: row[0], total: row[1])
        try journal.put(JournalReaders.unsent, at: next)
        return Backlog(
            bytes: next.total - cursor.total, count: next.number - cursor.number,
            reader: JournalReaders.unsent)
    }
}
