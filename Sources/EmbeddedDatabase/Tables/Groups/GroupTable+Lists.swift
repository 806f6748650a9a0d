import CallStacks
import GRDB
import Ingest
import MetricKitSignals

extension GroupTable {
    func groups(_ query: GroupQuery) throws -> [DiagnosticGroup] {
        let list = GroupListStatement(query)
        let rows = try db.all(list.sql, list.arguments)
        var groups = try rows.map { row in try group(row) }
        if query.after != nil { groups.reverse() }
        for index in groups.indices {
            groups[index].versions = try versions(of: groups[index], limit: GroupQuery.versionLimit)
            groups[index].days = try days(of: groups[index], limit: GroupQuery.dayLimit)
        }
        return try withTrends(groups)
    }

    func groups(fingerprint: String, app: String?) throws -> [DiagnosticGroup] {
        let rows = try db.all(
            """
            SELECT *, diagnostics AS shown, first_seen AS shown_first, last_seen AS shown_last
            FROM diagnostic_group WHERE fingerprint = ?1 AND (?2 IS NULL OR app = ?2)
            ORDER BY last_seen DESC, id DESC LIMIT ?3
            """, [fingerprint, app, GroupQuery.largestLimit])
        var groups = try rows.map { row in try group(row) }
        for index in groups.indices {
            groups[index].versions = try versions(of: groups[index], limit: .max)
            groups[index].days = try days(of: groups[index], limit: .max)
        }
        return try withTrends(groups)
    }

    func counts(app: String?) throws -> [DiagnosticKind: Int] {
        let rows = try db.all(
            app == nil
                ? "SELECT kind, count(*) FROM diagnostic_group WHERE ?1 IS NULL GROUP BY kind"
                : "SELECT kind, count(*) FROM diagnostic_group WHERE app = ?1 GROUP BY kind", [app])
        return rows.reduce(into: [:]) { counts, row in
            if let kind = DiagnosticKind(rawValue: row[0]) { counts[kind] = row[1] }
        }
    }

    private func group(_ row: Row) throws -> DiagnosticGroup {
        guard let kind = DiagnosticKind(rawValue: row["kind"]) else {
            throw DatabaseProblem.damage("a group of diagnostics")
        }
        let app: String = row["app"]
        var group = DiagnosticGroup(
            id: row["id"], app: app.isEmpty ? nil : app, fingerprint: row["fingerprint"],
            kind: kind,
            diagnosticCount: row["shown"], unreadableCount: row["unreadable"],
            firstSeen: UnixTime(rawValue: row["shown_first"]),
            lastSeen: UnixTime(rawValue: row["shown_last"]),
            newest: RecordAddress(entry: row["newest_entry"], position: row["newest_position"]))
        group.culprit = row["culprit"]
        group.exceptionName = row["exception_name"]
        group.exceptionMessage = row["exception_message"]
        return group
    }

    /// Returns the most recently seen versions, in the order of their numbers.
    private func versions(of group: DiagnosticGroup, limit: Int) throws -> [GroupVersion] {
        let rows = try db.all(
            """
            SELECT version, diagnostics, frames, symbolicated, first_seen, last_seen
            FROM group_version WHERE "group" = ? ORDER BY last_seen DESC LIMIT ?
            """, [group.id, limit])
        let versions = rows.map { row in
            let version: String = row[0]
            return GroupVersion(
                version: version.isEmpty ? nil : version, diagnosticCount: row[1],
                frameCount: row[2], symbolicatedFrameCount: row[3],
                firstSeen: UnixTime(rawValue: row[4]), lastSeen: UnixTime(rawValue: row[5]))
        }
        return versions.sorted { VersionNumber($0.version ?? "") < VersionNumber($1.version ?? "") }
    }

    private func days(of group: DiagnosticGroup, limit: Int) throws -> [GroupDay] {
        let rows = try db.all(
            """
            SELECT day, diagnostics FROM group_day WHERE "group" = ? ORDER BY day DESC LIMIT ?
            """, [group.id, limit])
        return rows.reversed().map { GroupDay(day: $0[0], diagnosticCount: $0[1]) }
    }

    private func withTrends(_ groups: [DiagnosticGroup]) throws -> [DiagnosticGroup] {
        var known: [String: [String]] = [:]
        return try groups.map { group in
            var group = group
            let app = group.app ?? ""
            let versions = try known[app] ?? versions(of: app)
            known[app] = versions
            group.trend = DiagnosticGroup.Trend(
                seenIn: Set(group.versions.compactMap(\.version)), among: versions)
            return group
        }
    }
}

extension GroupTable {
    /// The maximum numbers of apps, and of versions per app, in ``coverage(app:)``.
    private static let coverageLimits = (apps: 50, versions: 5)

    func coverage(app: String?) throws -> [VersionCoverage] {
        let apps = try app.map { [$0] } ?? apps(limit: Self.coverageLimits.apps)
        return try apps.flatMap { app in
            try versions(of: app).suffix(Self.coverageLimits.versions).reversed().compactMap {
                try coverage(of: $0, app: app)
            }
        }
    }

    func coverage(of version: String, app: String) throws -> VersionCoverage? {
        let sums = try db.first(
            """
            SELECT sum(diagnostics), sum(frames), sum(symbolicated) FROM group_version
            WHERE app = ? AND version = ?
            """, [app, version])
        // The sum of no rows is NULL.
        guard let sums, let count: Int = sums[0] else { return nil }
        return VersionCoverage(
            app: app.isEmpty ? nil : app, version: version, diagnosticCount: count,
            frameCount: sums[1], symbolicatedFrameCount: sums[2])
    }

    /// Returns the named versions of an app, oldest first. Finding each takes one search of an
    /// index.
    func versions(of app: String) throws -> [String] {
        let rows = try db.all(
            """
            WITH RECURSIVE known (version) AS (
                SELECT min(version) FROM group_version WHERE app = ?1 AND version > ''
                UNION ALL
                SELECT (SELECT min(version) FROM group_version
                    WHERE app = ?1 AND version > known.version)
                FROM known WHERE known.version IS NOT NULL)
            SELECT version FROM known WHERE version IS NOT NULL
            """, [app])
        return rows.map { $0[0] }.sorted { VersionNumber($0) < VersionNumber($1) }
    }

    /// Returns the named apps.
    func apps() throws -> [String] {
        try apps(limit: Self.coverageLimits.apps + 1).filter { !$0.isEmpty }
    }

    private func apps(limit: Int) throws -> [String] {
        try db.all(
            """
            WITH RECURSIVE known (app) AS (
                SELECT min(app) FROM group_version
                UNION ALL
                SELECT (SELECT min(app) FROM group_version WHERE app > known.app)
                FROM known WHERE known.app IS NOT NULL)
            SELECT app FROM known WHERE app IS NOT NULL LIMIT ?
            """, [limit]
        ).map { $0[0] }
    }
}
