import CallStacks
import Ingest
import MetricKitSignals
import PostgreSQL

/// Reads groups with their versions, days and trends, in a transaction.
struct GroupDetails {
    let transaction: Transaction

    /// - Parameters:
    ///   - rows: Rows with the columns of ``GroupListStatement/columns(of:)``.
    ///   - versionLimit: The maximum number of versions of each group, those seen last.
    ///   - dayLimit: The maximum number of days of each group, the latest ones.
    func groups(
        _ rows: QueryResult, versionLimit: Int, dayLimit: Int
    ) async throws -> [DiagnosticGroup] {
        var groups = try rows.map { try DiagnosticGroup($0) }
        let ids = Parameter.value(groups.map(\.id), .array(of: .int8))
        let versions = try await versions(ids, limit: versionLimit)
        let days = try await days(ids, limit: dayLimit)
        var known: [String: [String]] = [:]
        for index in groups.indices {
            let group = groups[index]
            groups[index].versions = versions[group.id, default: []].sorted(
                byVersion: { $0.version ?? "" })
            groups[index].days = days[group.id, default: []]
            let app = group.app ?? ""
            if known[app] == nil {
                known[app] = try await VersionCounts(transaction: transaction).versions(of: app)
            }
            groups[index].trend = DiagnosticGroup.Trend(
                seenIn: Set(groups[index].versions.compactMap(\.version)),
                among: known[app, default: []])
        }
        return groups
    }

    private func versions(_ ids: Parameter, limit: Int) async throws -> [Int64: [GroupVersion]] {
        let rows = try await transaction.rows(
            """
            SELECT * FROM (
                SELECT "group", version, diagnostics, frames, symbolicated, first_seen, last_seen,
                    row_number() OVER (PARTITION BY "group" ORDER BY last_seen DESC) AS number
                FROM group_version WHERE "group" = ANY ($1)
            ) v WHERE number <= $2
            """, [ids, .value(Int64(limit), .int8)])
        var versions: [Int64: [GroupVersion]] = [:]
        for row in rows {
            let version = try row.value(1, .text)
            versions[try row.value(0, .int8), default: []].append(
                GroupVersion(
                    version: version.isEmpty ? nil : version,
                    diagnosticCount: Int(try row.value(2, .int8)),
                    frameCount: Int(try row.value(3, .int8)),
                    symbolicatedFrameCount: Int(try row.value(4, .int8)),
                    firstSeen: UnixTime(rawValue: try row.value(5, .int8)),
                    lastSeen: UnixTime(rawValue: try row.value(6, .int8))))
        }
        return versions
    }

    private func days(_ ids: Parameter, limit: Int) async throws -> [Int64: [GroupDay]] {
        let rows = try await transaction.rows(
            """
            SELECT "group", day, diagnostics FROM (
                SELECT "group", day, sum(diagnostics)::int8 AS diagnostics,
                    row_number() OVER (PARTITION BY "group" ORDER BY day DESC) AS number
                FROM group_tally WHERE "group" = ANY ($1) GROUP BY "group", day
                HAVING sum(diagnostics) > 0
            ) d WHERE number <= $2 ORDER BY "group", day
            """, [ids, .value(Int64(limit), .int8)])
        var days: [Int64: [GroupDay]] = [:]
        for row in rows {
            days[try row.value(0, .int8), default: []].append(
                GroupDay(
                    day: Int64(try row.value(1, .int4)),
                    diagnosticCount: Int(try row.value(2, .int8))))
        }
        return days
    }
}

extension DiagnosticGroup {
    /// Reads the columns of ``GroupListStatement/columns(of:)``.
    fileprivate init(_ row: Row) throws {
        guard let kind = DiagnosticKind(rawValue: try row.value(3, .text)) else {
            throw JournalError.damage("a group of diagnostics")
        }
        let app = try row.value(1, .text)
        self.init(
            id: try row.value(0, .int8), app: app.isEmpty ? nil : app,
            fingerprint: try row.value(2, .text), kind: kind,
            diagnosticCount: Int(try row.value(7, .int8)),
            unreadableCount: Int(try row.value(8, .int8)),
            firstSeen: UnixTime(rawValue: try row.value(9, .int8)),
            lastSeen: UnixTime(rawValue: try row.value(10, .int8)),
            newest: RecordAddress(
                entry: try row.value(11, .int8), position: Int(try row.value(12, .int4))))
        culprit = try row.optional(4, .text)
        exceptionName = try row.optional(5, .text)
        exceptionMessage = try row.optional(6, .text)
    }
}
