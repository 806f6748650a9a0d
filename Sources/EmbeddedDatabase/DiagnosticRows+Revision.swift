import CallStacks
import GRDB
import Ingest

extension DiagnosticRows {
    /// Appends a revision of each diagnostic that is marked, and of each whose hold has ended: the
    /// oldest ones of both.
    ///
    /// Of the held ones those come first whose hold ended first, which is the order of their arrival
    /// unless the time to hold was changed.
    func takeUp(count: Int, now: UnixTime) throws -> [JournalEntry] {
        let marked = try db.all(
            """
            SELECT entry, position, uid FROM diagnostic WHERE marked = 1
            ORDER BY entry, position LIMIT ?
            """, [count])
        let released = try db.all(
            """
            SELECT entry, position, uid FROM diagnostic
            WHERE state = 0 AND held_until IS NOT NULL AND held_until <= ?
            ORDER BY held_until, entry, position LIMIT ?
            """, [now.rawValue, count])
        var names: [RecordPlace: String] = [:]
        for row in marked + released {
            names[RecordPlace(entry: row[0], position: row[1])] = row[2]
        }
        let oldest = names.sorted { $0.key < $1.key }.prefix(count)
        for (place, _) in oldest { try takeMarks(of: place) }
        return try append(oldest.map(\.value), at: now)
    }

    private func takeMarks(of place: RecordPlace) throws {
        try db.run(
            """
            UPDATE diagnostic SET marked = 0, held_until = NULL WHERE entry = ? AND position = ?
            """, [place.entry, place.position])
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

extension RecordPlace {
    static func < (left: Self, right: Self) -> Bool {
        (left.entry, left.position) < (right.entry, right.position)
    }
}
