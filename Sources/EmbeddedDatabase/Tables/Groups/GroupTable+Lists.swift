import CallStacks
import GRDB
import Ingest
import MetricKitSignals

extension GroupTable {
    func groups(_ query: GroupQuery) throws -> [DiagnosticGroup] {
        let list = GroupListStatement(query)
        var groups = try db.all(list.sql, list.arguments, read: group)
        if query.after != nil { groups.reverse() }
        for index in groups.indices {
            groups[index].versions = try versions(of: groups[index], limit: GroupQuery.versionLimit)
            groups[index].days = try days(of: groups[index], limit: GroupQuery.dayLimit)
        }
        return try withTrends(groups)
    }

    func groups(fingerprint: String, app: String?) throws -> [DiagnosticGroup] {
        var groups = try db.all(
            """
            SELECT *, diagnostics AS shown, first_seen AS shown_first, last_seen AS shown_last
            FROM diagnostic_group WHERE fingerprint = ?1 AND (?2 IS NULL OR app = ?2)
            ORDER BY last_seen DESC, id DESC LIMIT ?3
            """, [fingerprint, app, GroupQuery.largestLimit], read: group)
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
        let versions = try db.all(
            """
            SELECT version, diagnostics, frames, symbolicated, first_seen, last_seen
            FROM group_version WHERE "group" = ? ORDER BY last_seen DESC LIMIT ?
            """, [group.id, limit]
        ) { row in
            let version: String = row[0]
            return GroupVersion(
                version: version.isEmpty ? nil : version, diagnosticCount: row[1],
                frameCount: row[2], symbolicatedFrameCount: row[3],
                firstSeen: UnixTime(rawValue: row[4]), lastSeen: UnixTime(rawValue: row[5]))
        }
        return versions.sorted(byVersion: { $0.version ?? "" })
    }

    private func days(of group: DiagnosticGroup, limit: Int) throws -> [GroupDay] {
        let days = try db.all(
            """
            SELECT day, diagnostics FROM group_day WHERE "group" = ? ORDER BY day DESC LIMIT ?
            """, [group.id, limit]
        ) { row in GroupDay(day: row[0], diagnosticCount: row[1]) }
        return days.reversed()
    }

    private func withTrends(_ groups: [DiagnosticGroup]) throws -> [DiagnosticGroup] {
        var known: [String: [String]] = [:]
        return try groups.map { group in
            var group = group
            let app = group.app ?? ""
            let versions = try known[app] ?? VersionCountTable(db).versions(of: app)
            known[app] = versions
            group.trend = DiagnosticGroup.Trend(
                seenIn: Set(group.versions.compactMap(\.version)), among: versions)
            return group
        }
    }
}
