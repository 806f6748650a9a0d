import GRDB
import Ingest

/// The table of app versions whose diagnostics want an image.
///
/// Its size is limited, because both names come from clients. The versions that were first seen
/// most recently are kept.
struct AppVersionTable {
    let db: Database

    static let versionsPerApp = 50
    private static let versionsPerImage = 1_000

    init(_ db: Database) { self.db = db }

    func add(_ version: ImageWaits.AppVersion, to image: Int64) throws {
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

    /// Returns the app whose version was first seen last, or `nil` if no app is known.
    ///
    /// - Parameter images: The numbers of missing images, separated by commas.
    func newestApp(of images: String) throws -> String? {
        try db.first(
            """
            SELECT app FROM image_version
            WHERE image IN (SELECT value FROM json_each('[' || ? || ']')) AND app <> ''
            ORDER BY id DESC LIMIT 1
            """, [images])?[0]
    }

    /// - Parameters:
    ///   - images: The numbers of missing images, separated by commas.
    ///   - app: The app, or `nil` for all apps.
    /// - Returns: Each version once, in the order in which they were first seen.
    func versions(of images: String, app: String?) throws -> [String] {
        let versions = try db.all(
            """
            SELECT version FROM image_version
            WHERE image IN (SELECT value FROM json_each('[' || ? || ']'))
                AND (? IS NULL OR app = ?) AND version <> ''
            GROUP BY version ORDER BY min(id) DESC LIMIT ?
            """, [images, app, app, Self.versionsPerApp]
        ) { row in row[0] as String }
        return versions.reversed()
    }
}
