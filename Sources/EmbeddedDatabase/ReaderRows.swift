import GRDB
import Ingest

/// The rows of the journal's readers, as a start decides about them.
struct ReaderRows {
    private let db: Database
    private let journal: JournalRows

    init(_ db: Database) {
        self.db = db
        journal = JournalRows(db)
    }

    /// All but the worker, and the names that only dead letters have.
    func all() throws -> [ReaderStatus] {
        let letters = try DeadLetterRows(db).counts()
        let rows = try db.all(
            "SELECT name, configured FROM reader WHERE name <> ?", [JournalReaders.worker])
        var readers = try rows.map { row in
            ReaderStatus(
                name: row[0], waiting: try journal.waiting(for: row[0]),
                deadLetterCount: letters.first { $0.exporter == row[0] }?.letterCount ?? 0,
                wasConfigured: row[1])
        }
        for count in letters where !readers.contains(where: { $0.name == count.exporter }) {
            readers.append(
                ReaderStatus(
                    name: count.exporter, hasPlace: false, deadLetterCount: count.letterCount,
                    wasConfigured: false))
        }
        return readers.sorted { $0.name < $1.name }
    }

    func settle(_ settlement: ReaderSettlement) throws {
        for rename in settlement.renames { try self.rename(rename.old.name, to: rename.new) }
        for name in settlement.removals { try remove(name) }
        guard !settlement.exporters.isEmpty else { return try keepUnsent() }
        let start = try journal.storedPlace(of: JournalReaders.unsent) ?? journal.end()
        for name in settlement.newcomers { try journal.put(name, at: start) }
        try remove(JournalReaders.unsent)
        try markConfigured(settlement.exporters)
    }

    private func rename(_ old: String, to new: String) throws {
        try db.run("UPDATE reader SET name = ? WHERE name = ?", [new, old])
        try db.run("UPDATE dead_letter SET exporter = ? WHERE exporter = ?", [new, old])
    }

    func remove(_ name: String) throws {
        try db.run("DELETE FROM reader WHERE name = ?", [name])
    }

    private func keepUnsent() throws {
        guard try journal.storedPlace(of: JournalReaders.unsent) == nil else { return }
        try journal.put(JournalReaders.unsent, at: journal.end())
    }

    /// Writes nothing where nothing changes, so that a service starts on a full disk.
    private func markConfigured(_ names: [String]) throws {
        for row in try db.all("SELECT name, configured FROM reader") {
            let isConfigured = names.contains(row[0])
            guard row[1] as Bool != isConfigured else { continue }
            try db.run(
                "UPDATE reader SET configured = ? WHERE name = ?", [isConfigured, row[0] as String])
        }
    }

    /// - Returns: What went.
    func trimUnsent(keeping bytes: Int64) throws -> Backlog {
        guard let place = try journal.storedPlace(of: JournalReaders.unsent) else {
            return Backlog()
        }
        let total = try journal.end().total - bytes
        guard place.total < total else { return Backlog() }
        let row = try db.first(
            """
            SELECT number, total FROM journal WHERE number > ? AND total >= ?
            ORDER BY number LIMIT 1
            """, [place.number, total])
        guard let row else { return Backlog() }
        let next = JournalRows.Place(number: row[0], total: row[1])
        try journal.put(JournalReaders.unsent, at: next)
        return Backlog(
            bytes: next.total - place.total, count: next.number - place.number,
            reader: JournalReaders.unsent)
    }
}
