import CallStacks
import GRDB
import Ingest

extension DiagnosticRows {
    /// A diagnostic that is to be sent, or sent again.
    private struct Due {
        var place: RecordPlace
        var moment: Int64

        var order: (Int64, Int64, Int) { (moment, place.entry, place.position) }
    }

    /// Appends a revision of each diagnostic whose mark is due, and of each whose hold has ended:
    /// those that were due first.
    func takeUp(count: Int, now: UnixTime) throws -> [JournalEntry] {
        let due = try firstDue(count: count, now: now)
        let entries = try append(due.map(\.place), at: now)
        for (one, entry) in zip(due, entries) { try release(one.place, by: entry.number) }
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
        var all: [RecordPlace: Due] = [:]
        for row in marked + held {
            let place = RecordPlace(entry: row[0], position: row[1])
            all[place] = Due(place: place, moment: min(row[2], all[place]?.moment ?? .max))
        }
        return Array(all.values.sorted { $0.order < $1.order }.prefix(count))
    }

    /// Takes the mark away, and lets one that is held go.
    ///
    /// - Parameter number: The entry that sends it.
    private func release(_ place: RecordPlace, by number: Int64) throws {
        try db.run(
            """
            UPDATE diagnostic SET marked = NULL, revised_by = ?,
                state = CASE state WHEN 0 THEN 2 ELSE state END
            WHERE entry = ? AND position = ?
            """, [number, place.entry, place.position])
    }

    private func append(_ due: [RecordPlace], at now: UnixTime) throws -> [JournalEntry] {
        var numbers = SystemRandomNumberGenerator()
        let drafts = due.map { place in
            JournalDraft(
                key: .random(using: &numbers), arrival: now, signal: .revision,
                body: RevisionReference.place(place).body)
        }
        let places = try JournalRows(db).append(try drafts.map { try StoredDraft($0) })
        return zip(places, drafts).map(JournalEntry.init)
    }
}
