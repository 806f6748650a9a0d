import CallStacks
import GRDB
import Ingest

/// Adding diagnostics that are newer than all others of their group, as those that arrive are. Nothing
/// has to be read again for them.
extension GroupTable {
    /// - Returns: The id of the group, or `nil` if nothing was written: some diagnostics were removed
    ///   or revised, or the group has a newer one.
    func append(_ group: GroupCounts.Group, to key: GroupCounts.Key) throws -> Int64? {
        guard let added = group.added, !group.hasRemoved else { return nil }
        let (first, last) = (added.first, added.last)
        let row = try db.first(
            """
            INSERT INTO diagnostic_group (
                app, fingerprint, kind, culprit, exception_name, exception_message, diagnostics,
                unreadable, first_seen, last_seen, newest_entry, newest_position)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, fingerprint) DO UPDATE SET
                kind = excluded.kind, culprit = excluded.culprit,
                exception_name = excluded.exception_name,
                exception_message = excluded.exception_message,
                diagnostics = diagnostics + excluded.diagnostics,
                unreadable = unreadable + excluded.unreadable, last_seen = excluded.last_seen,
                newest_entry = excluded.newest_entry, newest_position = excluded.newest_position
            WHERE (newest_entry, newest_position) < (?, ?)
            RETURNING id
            """,
            [
                key.app, key.fingerprint, last.kind.rawValue, last.culprit, last.exceptionName,
                last.exceptionMessage, group.diagnostics, group.unreadable,
                first.arrival.rawValue, last.arrival.rawValue, last.address.entry,
                last.address.position, first.address.entry, first.address.position,
            ])
        return row?[0]
    }

    /// Adds the diagnostics of a version, which are newer than all others of the group.
    func append(
        _ version: GroupCounts.Version, _ name: String, of key: GroupCounts.Key, _ group: Int64
    ) throws {
        guard let added = version.added else { return }
        let counts = version.counts
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
                group, name, key.app, counts.diagnostics, counts.frames, counts.symbolicated,
                added.first.arrival.rawValue, added.last.arrival.rawValue,
            ])
    }
}
