import CallStacks
import GRDB
import Ingest

/// Adds diagnostics that are newer than all others of their group, which is the usual case for new
/// ones. Nothing has to be read again for them.
extension GroupTable {
    /// The kind is part of the fingerprint, so it does not change; writing it would rewrite each index
    /// that contains it.
    ///
    /// - Returns: The id of the group, or `nil` if nothing was written: some diagnostics were removed
    ///   or revised, or the group has a newer one.
    func append(_ group: GroupCounts.Group, to key: GroupCounts.Key) throws -> Int64? {
        guard let added = group.added, !group.hasRemoved else { return nil }
        guard let id = try id(of: key) else { return try insert(group, added, key) }
        let (first, last) = (added.first, added.last)
        try db.run(
            """
            UPDATE diagnostic_group SET
                culprit = ?, exception_name = ?, exception_message = ?,
                diagnostics = diagnostics + ?, unreadable = unreadable + ?, last_seen = ?,
                newest_entry = ?, newest_position = ?
            WHERE id = ? AND (newest_entry, newest_position) < (?, ?)
            """,
            [
                last.culprit, last.exceptionName, last.exceptionMessage,
                group.diagnostics, group.unreadable, last.arrival.rawValue, last.address.entry,
                last.address.position, id, first.address.entry, first.address.position,
            ])
        return db.changesCount > 0 ? id : nil
    }

    /// - Returns: The id of the group, which must be new.
    private func insert(
        _ group: GroupCounts.Group, _ added: DiagnosticRange, _ key: GroupCounts.Key
    ) throws -> Int64 {
        let (first, last) = (added.first, added.last)
        try db.run(
            """
            INSERT INTO diagnostic_group (
                app, fingerprint, kind, culprit, exception_name, exception_message, diagnostics,
                unreadable, first_seen, last_seen, newest_entry, newest_position)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                key.app, key.fingerprint, last.kind.rawValue, last.culprit, last.exceptionName,
                last.exceptionMessage, group.diagnostics, group.unreadable,
                first.arrival.rawValue, last.arrival.rawValue, last.address.entry,
                last.address.position,
            ])
        return db.lastInsertedRowID
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
