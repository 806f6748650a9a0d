import CallStacks
import Foundation
import GRDB
import Ingest

/// The groups of the diagnostics that wait for an image, or have frames in it.
extension GroupTable {
    /// The maximum numbers of diagnostics that are examined, and of groups that are returned.
    private static let imageLimits = (diagnostics: 1_000, groups: 20)

    /// Selects the newest diagnostics that wait for the image with a number.
    static let waitingStatement = """
        SELECT coalesce(app, ''), fingerprint FROM (
            SELECT entry, position FROM wait WHERE image = ?1
            ORDER BY entry DESC, position DESC LIMIT \(imageLimits.diagnostics))
        CROSS JOIN diagnostic USING (entry, position) WHERE ?2 IS NULL OR app = ?2
        """

    func groups(waitingFor image: ImageID, app: String?) throws -> [DiagnosticGroup] {
        struct Key: Hashable { let app, fingerprint: String }
        var counts: [Key: Int] = [:]
        let ids = try db.all(
            "SELECT id FROM missing_image WHERE image = ? AND stored = 0", [Data(image.bytes)])
        for id in ids {
            for row in try db.all(Self.waitingStatement, [id[0] as Int64, app]) {
                counts[Key(app: row[0], fingerprint: row[1]), default: 0] += 1
            }
        }
        let most = counts.sorted {
            ($1.value, $0.key.app, $0.key.fingerprint) < ($0.value, $1.key.app, $1.key.fingerprint)
        }
        return try most.prefix(Self.imageLimits.groups).flatMap { key, _ in
            try groups(fingerprint: key.fingerprint, app: key.app)
        }
    }

    /// Selects the groups with frames in an image.
    static let usingStatement = """
        SELECT own.app, own.fingerprint FROM group_image AS part
        CROSS JOIN diagnostic_group AS own ON own.id = part."group"
        WHERE part.image = ?1 AND (?2 IS NULL OR own.app = ?2)
        ORDER BY part.entry DESC, part.position DESC LIMIT \(imageLimits.groups)
        """

    func groups(using image: ImageID, app: String?) throws -> [DiagnosticGroup] {
        try db.all(Self.usingStatement, [Data(image.bytes), app]).flatMap { row in
            try groups(fingerprint: row[1], app: row[0])
        }
    }

    func add(_ image: ImageID, of diagnostic: RecordAddress, _ group: Int64) throws {
        try db.run(
            """
            INSERT INTO group_image VALUES (?, ?, ?, ?)
            ON CONFLICT ("group", image) DO UPDATE SET
                entry = excluded.entry, position = excluded.position
            WHERE (excluded.entry, excluded.position) > (entry, position)
            """, [group, Data(image.bytes), diagnostic.entry, diagnostic.position])
    }

    /// Removes images that only occurred in removed diagnostics: those whose newest diagnostic is
    /// older than the oldest remaining one.
    func removeImages(ofRemovedFrom key: GroupCounts.Key, _ group: Int64) throws {
        try db.run(
            """
            DELETE FROM group_image WHERE "group" = ?1 AND (entry, position) < (
                SELECT entry, position FROM diagnostic
                WHERE fingerprint = ?2 AND app IS nullif(?3, '')
                ORDER BY entry, position LIMIT 1)
            """, [group, key.fingerprint, key.app])
    }
}
