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
            for (version, counts) in group.versions { try addVersion(counts, version, key, id) }
            for (day, count) in group.days where count != 0 { try add(count, on: day, id) }
            for (image, address) in group.images { try add(image, of: address, id) }
            if group.diagnostics < 0 { try removeImages(ofRemovedFrom: key, id) }
        }
    }

    /// - Returns: The id of the group, or `nil` if it has no diagnostics left and was removed.
    private func add(_ group: GroupCounts.Group, to key: GroupCounts.Key) throws -> Int64? {
        let row = try db.first(
            """
            INSERT INTO diagnostic_group (
                app, fingerprint, kind, diagnostics, unreadable, first_seen, last_seen,
                newest_entry, newest_position)
            VALUES (?, ?, '', ?, ?, 0, 0, 0, 0)
            ON CONFLICT (app, fingerprint) DO UPDATE SET
                diagnostics = diagnostics + excluded.diagnostics,
                unreadable = unreadable + excluded.unreadable
            RETURNING id, diagnostics
            """, [key.app, key.fingerprint, group.diagnostics, group.unreadable])
        guard let row else { throw DatabaseError(message: "RETURNING gave no row") }
        let (id, left): (Int64, Int) = (row[0], row[1])
        if left <= 0 {
            try db.run("DELETE FROM diagnostic_group WHERE id = ?", [id])
            return nil
        }
        try db.run("UPDATE diagnostic_group SET \(Schema.newestColumns) WHERE id = ?", [id])
        return id
    }

    private func add(
        _ counts: GroupCounts.Version, _ version: String, of key: GroupCounts.Key, _ group: Int64
    ) throws {
        try db.run(
            """
            INSERT INTO group_version VALUES (?, ?, ?, ?, ?, ?, 0, 0)
            ON CONFLICT ("group", version) DO UPDATE SET
                diagnostics = diagnostics + excluded.diagnostics,
                frames = frames + excluded.frames,
                symbolicated = symbolicated + excluded.symbolicated
            """,
            [group, version, key.app, counts.diagnostics, counts.frames, counts.symbolicated])
        if counts.diagnostics <= 0 {
            try db.run(
                """
                DELETE FROM group_version WHERE "group" = ? AND version = ? AND diagnostics <= 0
                """, [group, version])
            guard db.changesCount == 0 else { return }
        }
        try db.run(
            """
            UPDATE group_version SET \(Schema.versionTimes) WHERE "group" = ? AND version = ?
            """, [group, version])
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
