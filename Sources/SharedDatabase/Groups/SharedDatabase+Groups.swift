public import CallStacks
public import Ingest
import PostgreSQL

extension SharedDatabase: GroupArchive {
    public func groups(_ query: GroupQuery) async throws(JournalError) -> [DiagnosticGroup] {
        let list = GroupListStatement(query)
        let found = try await groups(
            list.text, list.parameters, versionLimit: GroupQuery.versionLimit,
            dayLimit: GroupQuery.dayLimit)
        return query.after == nil ? found : found.reversed()
    }

    private static let fingerprintText = """
        SELECT \(GroupListStatement.columns(of: "own")) FROM diagnostic_group own
        WHERE fingerprint = $1 AND ($2 IS NULL OR app = $2) AND diagnostics > 0
        ORDER BY last_seen DESC, id DESC LIMIT $3
        """

    public func groups(
        fingerprint: String, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup] {
        try await groups(
            Self.fingerprintText,
            [
                .value(fingerprint.asKey, .text), .optional(app?.asKey, .text),
                .value(Int64(GroupQuery.largestLimit), .int8),
            ], versionLimit: .max, dayLimit: .max)
    }

    private func groups(
        _ text: String, _ parameters: [Parameter], versionLimit: Int, dayLimit: Int
    ) async throws(JournalError) -> [DiagnosticGroup] {
        try await summarised { transaction in
            try await GroupDetails(transaction: transaction).groups(
                try await transaction.rows(text, parameters), versionLimit: versionLimit,
                dayLimit: dayLimit)
        }
    }

    /// Reads groups after their sums were brought up to date.
    func summarised<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws(JournalError) -> Value {
        try await asJournal {
            try await GroupSummaries(pool: pool).update()
            return try await snapshot(body)
        }
    }

    /// Runs `body` in a transaction that only reads, and sees the state of one moment.
    private func snapshot<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        try await pool.withTransaction(
            TransactionOptions(isolation: .repeatableRead, isReadOnly: true), body)
    }

    public func groupCounts(app: String?) async throws(JournalError) -> [DiagnosticKind: Int] {
        try await summarised { transaction in
            var counts: [DiagnosticKind: Int] = [:]
            let condition = app == nil ? "$1 IS NULL" : "app = $1"
            let rows = try await transaction.rows(
                """
                SELECT kind, count(*) FROM diagnostic_group
                WHERE \(condition) AND diagnostics > 0 GROUP BY kind
                """, [.optional(app?.asKey, .text)])
            for row in rows {
                guard let kind = DiagnosticKind(rawValue: try row.value(0, .text)) else { continue }
                counts[kind] = Int(try row.value(1, .int8))
            }
            return counts
        }
    }

    static let hourText = """
        SELECT status, sum(diagnostics)::int8 FROM hour_tally
        WHERE hour >= $1 AND ($2 IS NULL OR app = $2) GROUP BY status HAVING sum(diagnostics) > 0
        """

    public func statusCounts(
        since time: UnixTime, app: String?
    ) async throws(JournalError) -> [SymbolicatedDiagnostic.Status: Int] {
        try await asJournal {
            var counts: [SymbolicatedDiagnostic.Status: Int] = [:]
            let hour = Int32(clamping: max(time.rawValue, 0) / 3_600_000)
            let rows = try await read(
                Self.hourText, [.value(hour, .int4), .optional(app?.asKey, .text)])
            for row in rows {
                let status = SymbolicatedDiagnostic.Status(rawValue: try row.value(0, .text))
                if let status { counts[status] = Int(try row.value(1, .int8)) }
            }
            return counts
        }
    }

    public func apps() async throws(JournalError) -> [String] {
        try await asJournal {
            try await snapshot { try await VersionCounts(transaction: $0).apps() }
        }
    }

    public func versions(of app: String) async throws(JournalError) -> [String] {
        try await asJournal {
            try await snapshot { try await VersionCounts(transaction: $0).versions(of: app) }
        }
    }

    public func coverage(app: String?) async throws(JournalError) -> [VersionCoverage] {
        try await asJournal {
            try await snapshot { try await VersionCounts(transaction: $0).coverage(app: app) }
        }
    }

    public func coverage(
        of version: String, app: String
    ) async throws(JournalError) -> VersionCoverage? {
        try await asJournal {
            try await snapshot {
                try await VersionCounts(transaction: $0).coverage(of: version, app: app)
            }
        }
    }
}
