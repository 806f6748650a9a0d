import CallStacks
import GRDB
import Ingest

extension DiagnosticTable {
    /// A diagnostic to send, or to send again.
    private struct Due {
        var address: RecordAddress
        var moment: Int64

        var order: (Int64, Int64, Int) { (moment, address.entry, address.position) }
    }

    /// Appends a revision entry for each diagnostic whose mark is due or whose hold has ended,
    /// earliest first.
    func enqueueDue(count: Int, now: UnixTime) throws -> [JournalEntry] {
        let due = try firstDue(count: count, now: now)
        let entries = try append(due.map(\.address), at: now)
        for (due, entry) in zip(due, entries) { try release(due.address, by: entry.number) }
        return entries
    }

    private func firstDue(count: Int, now: UnixTime) throws -> [Due] {
        let marked = try db.all(
            """
            SELECT entry, position, marked FROM diagnostic WHERE marked <= ?
            ORDER BY marked, entry, position LIMIT ?
            """, [now.rawValue, count])
        let held = try db.all(
            """
            SELECT entry, position, held_until FROM diagnostic
            WHERE state = 0 AND held_until <= ? ORDER BY held_until, entry, position LIMIT ?
            """, [now.rawValue, count])
        var all: [RecordAddress: Due] = [:]
        for row in marked + held {
            let address = RecordAddress(entry: row[0], position: row[1])
            all[address] = Due(address: address, moment: min(row[2], all[address]?.moment ?? .max))
        }
        return Array(all.values.sorted { $0.order < $1.order }.prefix(count))
    }

    /// Removes the mark of a diagnostic, and ends its hold.
    ///
    /// - Parameter number: The entry that sends it.
    private func release(_ address: RecordAddress, by number: Int64) throws {
        try db.run(
            """
            UPDATE diagnostic SET marked = NULL, revised_by = ?,
                state = CASE state WHEN 0 THEN 2 ELSE state END
            WHERE entry = ? AND position = ?
            """, [number, address.entry, address.position])
    }

    private func append(_ due: [RecordAddress], at now: UnixTime) throws -> [JournalEntry] {
        var generator = SystemRandomNumberGenerator()
        let drafts = due.map { address in
            JournalDraft(
                key: .random(using: &generator), arrival: now, kind: .revision,
                body: RevisionReference.address(address).body)
        }
        let appended = try JournalTable(db).append(try drafts.map { try StoredDraft($0) })
        return zip(appended.compactMap(\.self), drafts).map(JournalEntry.init)
    }
}
