import CallStacks
import GRDB
import Ingest

/// The tables of groups, and of their versions, days and images.
///
/// Counts are incremented. When diagnostics are revised or removed, values from the oldest and
/// newest diagnostics are read again from the table of diagnostics, through an index, so that they
/// stay correct. When newer ones are added, which is far more frequent, they are known.
struct GroupTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Applies changes. Call this after the diagnostics were written.
    func apply(_ counts: GroupCounts) throws {
        for (key, group) in counts.groups.sorted(by: { $0.key < $1.key }) {
            let appended = try append(group, to: key)
            let id = try appended ?? add(group, to: key)
            guard let id else { continue }
            for (version, counts) in group.versions {
                if appended != nil {
                    try append(counts, version, of: key, id)
                } else {
                    try add(counts, version, of: key, id)
                }
            }
            for (day, count) in group.days where count != 0 { try add(count, on: day, id) }
            for (image, address) in group.images { try add(image, of: address, id) }
            if group.diagnostics < 0 { try removeImages(ofRemovedFrom: key, id) }
        }
    }

    /// Adds diagnostics that are newer than all others of the group. Each row and its indexes are
    /// written once.
    ///
    /// - Returns: The id of the group, or `nil` if diagnostics were removed, or are not newer.
    private func append(_ group: GroupCounts.Group, to key: GroupCounts.Key) throws -> Int64? {
        guard !group.hasRemovals, let newest = group.newest, let period = group.period
        else { return nil }
        let row = try db.first(
            """
            INSERT INTO diagnostic_group (
                app, fingerprint, kind, culprit, exception_name, exception_message, diagnostics,
                unreadable, first_seen, last_seen, newest_entry, newest_position)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, fingerprint) DO UPDATE SET
                culprit = excluded.culprit, exception_name = excluded.exception_name,
                exception_message = excluded.exception_message,
                diagnostics = diagnostics + excluded.diagnostics,
                unreadable = unreadable + excluded.unreadable, last_seen = excluded.last_seen,
                newest_entry = excluded.newest_entry, newest_position = excluded.newest_position
            WHERE (newest_entry, newest_position) < (?, ?)
            RETURNING id
            """,
            [
                key.app, key.fingerprint, newest.kind.rawValue, newest.culprit,
                newest.exceptionName, newest.exceptionMessage, group.diagnostics,
                group.unreadable, period.oldest.milliseconds, period.newest.milliseconds,
                newest.address.entry, newest.address.position, period.oldest.address.entry,
                period.oldest.address.position,
            ])
        return row?[0]
    }

    private func append(
        _ counts: GroupCounts.Version, _ version: String, of key: GroupCounts.Key, _ group: Int64
    ) throws {
        guard let period = counts.period else { return }
        try db.run(
            """
            INSERT INTO group_version VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT ("group", version) DO UPDATE SET
                diagnostics = diagnostics + excluded.diagnostics,
                frames = frames + excluded.frames,
                symbolicated = symbolicated + excluded.symbolicated,
                last_seen = excluded.last_seen
            """,
            [
                group, version, key.app, counts.diagnostics, counts.frames, counts.symbolicated,
                period.oldest.milliseconds, period.newest.milliseconds,
            ])
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
