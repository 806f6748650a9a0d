import CallStacks
import GRDB
import Ingest

extension DiagnosticRows {
    /// A diagnostic that is to be sent, or sent again.
    private struct Due {
        var place: RecordPlace
        var uid: String
        var moment: Int64

        var order: (Int64, Int64, Int) { (moment, place.entry, place.position) }
    }

    /// Appends a revision of each diagnostic whose mark is due, and of each whose hold has ended:
    /// those that were due first.
    func takeUp(count: Int, now: UnixTime) throws -> [JournalEntry] {
        let due = try firstDue(count: count, now: now)
        let entries = try append(due.map(\.uid), at: now)
        for (one, entry) in zip(due, entries) { try release(one.place, by: entry.number) }
        return entries
    }

    private func firstDue(count: Int, now: UnixTime) throws -> [Due] {
        let marked = try db.all(
            """
            SELECT entry, position, uid, marked FROM diagnostic WHERE marked <= ?
            ORDER BY marked, entry, position LIMIT ?
            """, [now.rawValue, count])
        let held = try db.all(
            """
            SELECT entry, position, uid, held_until FROM diagnostic
            WHERE state = 0 AND held_until <= ? ORDER BY held_until, entry, position LIMIT ?
            """, [now.rawValue, count])
        var all: [RecordPlace: Due] = [:]
        for row in marked + held {
            let place = RecordPlace(entry: row[0], position: row[1])
            all[place] = Due(
                place: place, uid: row[2], moment: min(row[3], all[place]?.moment ?? .max))
        }
        return Array(all.values.sorted { $0.order < $1.order }.prefix(count))
    }

    /// Takes the mark away, and lets one that is held go.
    private func release(_ place: RecordPlace, by number: Int64) throws {
        try db.run(
            """
            UPDATE diagnostic SET marked = NULL,
                released_by = CASE state WHEN 0 THEN ? ELSE released_by END,
                state = CASE state WHEN 0 THEN 2 ELSE state END
            WHERE entry = ? AND position = ?
            """, [number, place.entry, place.position])
    }

    private func append(_ uids: [String], at now: UnixTime) throws -> [JournalEntry] {
        var numbers = SystemRandomNumberGenerator()
        let drafts = uids.map { uid in
            JournalDraft(
                key: .random(using: &numbers), arrival: now, signal: .revision,
                body: Array(uid.utf8))
        }
        let places = try JournalRows(db).append(try drafts.map { try StoredDraft($0) })
        return zip(places, drafts).map(JournalEntry.init)
    }
}
