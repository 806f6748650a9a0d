import GRDB

/// The versions of apps whose diagnostics wanted an image.
///
/// Their number is bounded, because both texts come from outside: the ones first seen last stay.
struct AppVersionRows {
    let db: Database

    static let versionsPerApp = 50
    private static let versionsPerImage = 1_000

    init(_ db: Database) { self.db = db }

    func add(_ version: NewWaits.AppVersion, to image: Int64) throws {
        try db.run(
            """
            INSERT INTO image_version (image, app, version) VALUES (?, ?, ?)
            ON CONFLICT DO NOTHING
            """, [image, version.app, version.version])
        guard db.changesCount > 0 else { return }
        try db.run(
            """
            DELETE FROM image_version WHERE id IN (
                SELECT id FROM image_version WHERE image = ? AND app = ?
                ORDER BY id DESC LIMIT -1 OFFSET ?)
            """, [image, version.app, Self.versionsPerApp])
        try db.run(
            """
            DELETE FROM image_version WHERE id IN (
                SELECT id FROM image_version WHERE image = ?
                ORDER BY id DESC LIMIT -1 OFFSET ?)
            """, [image, Self.versionsPerImage])
    }

    /// - Parameters:
    ///   - images: The numbers of missing images, with commas between.
    ///   - app: `nil` for all apps.
    /// - Returns: Each text once, the one first seen last at the end.
    func versions(of images: String, app: String?) throws -> [String] {
        let rows = try db.all(
            """
            SELECT version FROM image_version
            WHERE image IN (SELECT value FROM json_each('[' || ? || ']'))
                AND (? IS NULL OR app = ?) AND version <> ''
            GROUP BY version ORDER BY min(id) DESC LIMIT ?
            """, [images, app, app, Self.versionsPerApp])
        return rows.reversed().map { $0[0] }
    }
}
