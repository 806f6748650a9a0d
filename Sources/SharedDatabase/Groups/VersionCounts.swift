import Ingest
import MetricKitSignals
import PostgreSQL

/// The numbers of diagnostics and frames by app and version, summed from those of days and lanes, in
/// a transaction.
struct VersionCounts {
    let transaction: Transaction

    /// The maximum numbers of apps, and of versions per app, in ``coverage(app:)``.
    private static let coverageLimits = (apps: 50, versions: 5)

    func coverage(app: String?) async throws -> [VersionCoverage] {
        let apps =
            if let app { [app] } else { try await apps(limit: Self.coverageLimits.apps) }
        var coverage: [VersionCoverage] = []
        for app in apps {
            let latest = try await versions(of: app).suffix(Self.coverageLimits.versions)
            for version in latest.reversed() {
                guard let found = try await self.coverage(of: version, app: app) else { continue }
                coverage.append(found)
            }
        }
        return coverage
    }

    static let coverageText = """
        SELECT sum(diagnostics)::int8, sum(frames)::int8, sum(symbolicated)::int8
        FROM version_tally WHERE app = $1 AND version = $2 HAVING sum(diagnostics) > 0
        """

    func coverage(of version: String, app: String) async throws -> VersionCoverage? {
        try await transaction.rows(
            Self.coverageText, [.value(app.asKey, .text), .value(version.asKey, .text)]
        ).first.map { row in
            VersionCoverage(
                app: app.isEmpty ? nil : app, version: version,
                diagnosticCount: Int(try row.value(0, .int8)),
                frameCount: Int(try row.value(1, .int8)),
                symbolicatedFrameCount: Int(try row.value(2, .int8)))
        }
    }

    static let versionsText = """
        SELECT version FROM version_tally WHERE app = $1 AND version > ''
        GROUP BY version HAVING sum(diagnostics) > 0
        """

    /// Returns the named versions of an app, oldest first.
    func versions(of app: String) async throws -> [String] {
        try await transaction.rows(Self.versionsText, [.value(app.asKey, .text)])
            .map { try $0.value(0, .text) }.sorted(byVersion: \.self)
    }

    /// Returns the named apps.
    func apps() async throws -> [String] {
        try await apps(limit: Self.coverageLimits.apps + 1).filter { !$0.isEmpty }
    }

    /// One index lookup finds each app. Apps without diagnostics are omitted.
    static let appsText = """
        WITH RECURSIVE known (app) AS (
            SELECT min(app) FROM version_tally
            UNION ALL
            SELECT (SELECT min(t.app) FROM version_tally t WHERE t.app > known.app)
            FROM known WHERE known.app IS NOT NULL)
        SELECT app FROM known WHERE app IS NOT NULL AND (
            SELECT sum(diagnostics) FROM version_tally t WHERE t.app = known.app) > 0
        LIMIT $1
        """

    private func apps(limit: Int) async throws -> [String] {
        try await transaction.rows(Self.appsText, [.value(Int64(limit), .int8)]).map {
            try $0.value(0, .text)
        }
    }
}
