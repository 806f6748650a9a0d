import CallStacks
import GRDB
import SymbolIntake

/// The table of refused uploaded files, which keeps the newest ``UploadRefusal/limit``.
struct UploadRefusalTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    func add(_ refusals: [UploadRefusal]) throws {
        guard !refusals.isEmpty else { return }
        for refusal in refusals.suffix(UploadRefusal.limit) {
            try db.run(
                """
                INSERT INTO upload_refusal (at, name, reason, app, version, build)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    refusal.time.rawValue, refusal.name, refusal.reason, refusal.app,
                    refusal.version, refusal.build,
                ])
        }
        try db.run(
            "DELETE FROM upload_refusal WHERE id <= ?",
            [db.lastInsertedRowID - Int64(UploadRefusal.limit)])
    }

    /// Returns the refusals, newest first.
    func refusals(app: String?) throws -> [UploadRefusal] {
        try db.all(
            """
            SELECT at, name, reason, app, version, build FROM upload_refusal
            WHERE ?1 IS NULL OR app = ?1 ORDER BY id DESC
            """, [app]
        ).map { row in
            UploadRefusal(
                time: UnixTime(rawValue: row[0]), name: row[1], reason: row[2], app: row[3],
                version: row[4], build: row[5])
        }
    }
}
