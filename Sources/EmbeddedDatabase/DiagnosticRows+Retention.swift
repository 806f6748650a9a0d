import CallStacks
import GRDB
import Ingest

extension DiagnosticRows {
    /// Removes the oldest diagnostics that are neither held nor marked, and whose entries every reader
    /// has passed: those from before `oldest`, and more while the entries that diagnostics keep alive
    /// hold more than `bytes`.
    ///
    /// - Parameter isScarce: Whether space is needed. Then all of them go, because their entries go
    ///   with them.
    /// - Returns: How many, at most `count`.
    func remove(
        before oldest: UnixTime, keeping bytes: Int64, makingRoom isScarce: Bool = false, count: Int
    ) throws -> Int {
        let takesAll = try isScarce || keptBytes() > bytes
        let limit = takesAll ? .max : oldest.rawValue
        // The first two conditions are those of the index.
        let candidates = try db.all(
            """
            SELECT entry, position, arrival, wanted FROM diagnostic
            WHERE state = 1 AND marked IS NULL AND arrival < ?
                AND max(entry, coalesce(revised_by, 0)) <= (SELECT min(place) FROM reader)
            ORDER BY arrival, entry, position LIMIT ?
            """, [limit, count])
        var removed = 0
        for row in candidates {
            guard try isScarce || row[2] < oldest.rawValue || keptBytes() > bytes else { break }
            try remove(
                RecordPlace(entry: row[0], position: row[1]), WantedList(text: row[3]))
            removed += 1
        }
        try WaitRows(db).forgetUnwanted()
        return removed
    }

    private func keptBytes() throws -> Int64 {
        try db.first("SELECT kept_bytes FROM tally")?[0] ?? 0
    }

    private func remove(_ place: RecordPlace, _ wanted: WantedList) throws {
        try WaitRows(db).remove(of: place, wanted)
        try db.run(
            "DELETE FROM diagnostic WHERE entry = ? AND position = ?",
            [place.entry, place.position])
        try db.run(
            "UPDATE kept SET diagnostics = diagnostics - 1 WHERE number = ?", [place.entry])
        try db.run("DELETE FROM kept WHERE number = ? AND diagnostics <= 0", [place.entry])
    }
}
