import CallStacks
import Foundation
import GRDB
import Ingest

/// The groups of the diagnostics that wait for an image.
extension GroupTable {
    /// The maximum numbers of diagnostics that are examined, and of groups that are returned.
    private static let waitingLimits = (diagnostics: 1_000, groups: 20)

    /// Selects the newest diagnostics that wait for the image with a number.
    static let waitingStatement = """
        SELECT coalesce(app, ''), fingerprint FROM (
            SELECT entry, position FROM wait WHERE image = ?1
            ORDER BY entry DESC, position DESC LIMIT \(waitingLimits.diagnostics))
        CROSS JOIN diagnostic USING (entry, position) WHERE ?2 IS NULL OR app = ?2
        """

    func groups(waitingFor image: ImageID, app: String?) throws -> [DiagnosticGroup] {
        struct Key: Hashable { let app, fingerprint: String }
        var counts: [Key: Int] = [:]
        let ids = try db.all(
            "SELECT id FROM missing_image WHERE image = ?", [Data(image.bytes)])
        for id in ids {
            for row in try db.all(Self.waitingStatement, [id[0] as Int64, app]) {
                counts[Key(app: row[0], fingerprint: row[1]), default: 0] += 1
            }
        }
        let most = counts.sorted {
            ($1.value, $0.key.app, $0.key.fingerprint) < ($0.value, $1.key.app, $1.key.fingerprint)
        }
        return try most.prefix(Self.waitingLimits.groups).flatMap { key, _ in
            try groups(fingerprint: key.fingerprint, app: key.app)
        }
    }
}
