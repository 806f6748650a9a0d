import GRDB
import Ingest
import MetricKitSignals

/// The table of the numbers of diagnostics and frames by app and version.
struct VersionCountTable {
    let db: Database

    /// The maximum numbers of apps, and of versions per app, in ``coverage(app:)``.
    private static let coverageLimits = (apps: 50, versions: 5)

    init(_ db: Database) { self.db = db }

    func apply(_ counts: GroupCounts) throws {
        for (key, count) in counts.versions {
            try db.run(
                """
                INSERT INTO version_count VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (app, version) DO UPDATE SET
                    diagnostics = diagnostics + excluded.diagnostics,
                    frames = frames + excluded.frames,
                    symbolicated = symbolicated + excluded.symbolicated
                """,
                [key.app, key.version, count.diagnostics, count.frames, count.symbolicated])
            guard count.diagnostics < 0 else { continue }
            try db.run(
                "DELETE FROM version_count WHERE app = ? AND version = ? AND diagnostics <= 0",
                [key.app, key.version])
        }
    }

    func coverage(app: String?) throws -> [VersionCoverage] {
        let apps = try app.map { [$0] } ?? apps(limit: Self.coverageLimits.apps)
        return try apps.flatMap { app in
            try versions(of: app).suffix(Self.coverageLimits.versions).reversed().compactMap {
                try coverage(of: $0, app: app)
            }
        }
    }

    static let coverageStatement = """
        SELECT diagnostics, frames, symbolicated FROM version_count WHERE app = ? AND version = ?
        """

    func coverage(of version: String, app: String) throws -> VersionCoverage? {
        try db.first(Self.coverageStatement, [app, version]).map { row in
            VersionCoverage(
                app: app.isEmpty ? nil : app, version: version, diagnosticCount: row[0],
                frameCount: row[1], symbolicatedFrameCount: row[2])
        }
    }

    static let versionsStatement = """
        SELECT version FROM version_count WHERE app = ? AND version > ''
        """

    /// Returns the named versions of an app, oldest first.
    func versions(of app: String) throws -> [String] {
        try db.all(Self.versionsStatement, [app]) { row in row[0] as String }
            .sorted(byVersion: \.self)
    }

    /// Returns the named apps.
    func apps() throws -> [String] {
        try apps(limit: Self.coverageLimits.apps + 1).filter { !$0.isEmpty }
    }

    /// One index lookup finds each app.
    private func apps(limit: Int) throws -> [String] {
        try db.all(
            """
            WITH RECURSIVE known (app) AS (
                SELECT min(app) FROM version_count
                UNION ALL
                SELECT (SELECT min(app) FROM version_count WHERE app > known.app)
                FROM known WHERE known.app IS NOT NULL)
            SELECT app FROM known WHERE app IS NOT NULL LIMIT ?
            """, [limit]
        ).map { $0[0] }
    }
}
