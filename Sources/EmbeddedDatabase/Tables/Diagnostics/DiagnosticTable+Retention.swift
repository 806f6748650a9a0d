import CallStacks
import GRDB
import Ingest

extension DiagnosticTable {
    /// Removes the oldest diagnostics that are neither held nor marked and whose entries every
    /// reader has passed: those before `oldest`, and further ones while the entries of diagnostics
    /// take more than `bytes`.
    ///
    /// - Parameter isScarce: Whether disk space is scarce. If so, all of these diagnostics are
    ///   removed, to free the space of their entries.
    /// - Returns: The number of removed diagnostics, at most `count`.
    func remove(
        before oldest: UnixTime, keeping bytes: Int64, isSpaceScarce isScarce: Bool,
        count: Int
    ) throws -> Int {
        let takesAll = try isScarce || keptBytes() > bytes
        let limit = takesAll ? .max : oldest.rawValue
        // The first two conditions match the partial index.
        let candidates = try db.all(
            """
            SELECT entry, position, wanted, \(CountedDiagnostic.columns) FROM diagnostic
            WHERE state = 1 AND marked IS NULL AND arrival < ?
                AND max(entry, coalesce(revised_by, 0)) <= (SELECT min(place) FROM reader)
            ORDER BY arrival, entry, position LIMIT ?
            """, [limit, count])
        var removed = 0
        var groups = GroupCounts()
        for row in candidates {
            let arrival: Int64 = row["arrival"]
            guard try isScarce || arrival < oldest.rawValue || keptBytes() > bytes else { break }
            try remove(
                RecordAddress(entry: row[0], position: row[1]), WantedImageList(text: row[2]))
            groups.remove(CountedDiagnostic(row))
            removed += 1
        }
        try GroupTable(db).apply(groups)
        try VersionCountTable(db).apply(groups)
        try HourTable(db).apply(groups)
        try MissingImageTable(db).removeUnwanted()
        return removed
    }

    private func keptBytes() throws -> Int64 {
        try db.first("SELECT kept_bytes FROM tally")?[0] ?? 0
    }

    private func remove(_ address: RecordAddress, _ wanted: WantedImageList) throws {
        try MissingImageTable(db).remove(of: address, wanted)
        try SampledStackTable(db).remove(address)
        try db.run(
            "DELETE FROM diagnostic WHERE entry = ? AND position = ?",
            [address.entry, address.position])
        try db.run(
            "UPDATE kept SET diagnostics = diagnostics - 1 WHERE number = ?", [address.entry])
        try db.run("DELETE FROM kept WHERE number = ? AND diagnostics <= 0", [address.entry])
    }
}
