import GRDB
import Ingest

/// The tables of groups, and of their versions, days and images.
///
/// Counts are incremented. When diagnostics are revised or removed, values from the oldest and newest
/// diagnostics of a group are read again from the table of diagnostics, through an index.
struct GroupTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Applies changes. Call this after the diagnostics were written.
    func apply(_ counts: GroupCounts) throws {
        for (key, group) in counts.groups.sorted(by: { $0.key < $1.key }) {
            let appended = try append(group, to: key)
            guard let id = try appended ?? add(group, to: key) else { continue }
            let addVersion = appended == nil ? add(_:_:of:_:) : append(_:_:of:_:)
            for (name, version) in group.versions { try addVersion(version, name, key, id) }
            for (day, count) in group.days where count != 0 { try add(count, on: day, id) }
            for (image, address) in group.images { try add(image, of: address, id) }
            if group.diagnostics < 0 { try removeImages(ofRemovedFrom: key, id) }
        }
    }

    /// - Returns: The id of the group, or `nil` if it has no diagnostics left and was removed.
    private func add(_ group: GroupCounts.Group, to key: GroupCounts.Key) throws -> Int64? {
        if try removeEmptied(by: group, key) { return nil }
        let id = try id(of: key) ?? insertEmpty(key)
        try db.run(
            """
            UPDATE diagnostic_group SET
                diagnostics = diagnostics + ?, unreadable = unreadable + ?
            WHERE id = ?
            """, [group.diagnostics, group.unreadable, id])
        try updateNewest(ofGroup: id)
        return id
    }

    /// Returns the id of a group, or `nil` if there is none.
    ///
    /// `INSERT … RETURNING` is not used, because SQLite creates a temporary table for it, and
    /// copies all pages that the statement changes, so that the statement can be undone separately.
    func id(of key: GroupCounts.Key) throws -> Int64? {
        try db.first(
            "SELECT id FROM diagnostic_group WHERE fingerprint = ? AND app = ?",
            [key.fingerprint, key.app])?[0]
    }

    /// - Returns: The id of the group, whose values are then updated.
    private func insertEmpty(_ key: GroupCounts.Key) throws -> Int64 {
        try db.run(
            """
            INSERT INTO diagnostic_group (
                app, fingerprint, kind, diagnostics, unreadable, first_seen, last_seen,
                newest_entry, newest_position)
            VALUES (?, ?, '', 0, 0, 0, 0, 0, 0)
            """, [key.app, key.fingerprint])
        return db.lastInsertedRowID
    }

    /// Removes a group that has lost all its diagnostics, without first updating its values and
    /// index rows.
    private func removeEmptied(
        by group: GroupCounts.Group, _ key: GroupCounts.Key
    ) throws -> Bool {
        guard group.diagnostics < 0 else { return false }
        try db.run(
            "DELETE FROM diagnostic_group WHERE fingerprint = ? AND app = ? AND diagnostics <= ?",
            [key.fingerprint, key.app, -group.diagnostics])
        return db.changesCount > 0
    }

    /// Updates the values from the oldest and newest diagnostics if they have changed. Most
    /// revisions affect other diagnostics, and an unconditional update would rewrite the rows of
    /// all indexes.
    private func updateNewest(ofGroup id: Int64) throws {
        try db.run(
            """
            UPDATE diagnostic_group SET \(Schema.newestColumns)
            WHERE id = ? AND (\(Schema.isNewestOutdated))
            """, [id])
    }

    private func add(
        _ version: GroupCounts.Version, _ name: String, of key: GroupCounts.Key, _ group: Int64
    ) throws {
        let counts = version.counts
        if try removeEmptied(by: counts, name, of: group) { return }
        try db.run(
            """
            INSERT INTO group_version VALUES (?, ?, ?, ?, ?, ?, 0, 0)
            ON CONFLICT ("group", version) DO UPDATE SET
                diagnostics = diagnostics + excluded.diagnostics,
                frames = frames + excluded.frames,
                symbolicated = symbolicated + excluded.symbolicated
            """,
            [group, name, key.app, counts.diagnostics, counts.frames, counts.symbolicated])
        try db.run(
            """
            UPDATE group_version SET \(Schema.versionTimes)
            WHERE "group" = ? AND version = ? AND (\(Schema.areVersionTimesOutdated))
            """, [group, name])
    }

    private func removeEmptied(
        by counts: GroupCounts.Counts, _ version: String, of group: Int64
    ) throws -> Bool {
        guard counts.diagnostics < 0 else { return false }
        try db.run(
            """
            DELETE FROM group_version WHERE "group" = ? AND version = ? AND diagnostics <= ?
            """, [group, version, -counts.diagnostics])
        return db.changesCount > 0
    }

    private func add(_ count: Int, on day: Int64, _ group: Int64) throws {
        try db.run(
            """
            INSERT INTO group_day VALUES (?, ?, ?)
            ON CONFLICT ("group", day) DO UPDATE SET
                diagnostics = diagnostics + excluded.diagnostics
            """, [group, day, count])
        guard count < 0 else { return }
        try db.run(
            """
            DELETE FROM group_day WHERE "group" = ? AND day = ? AND diagnostics <= 0
            """, [group, day])
    }
}
