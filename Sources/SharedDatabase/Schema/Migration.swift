import Ingest
import PostgreSQL
import Problems

/// Migrates the tables to the version that this program needs, one node at a time.
struct Migration {
    /// The stored version of the tables, and of the oldest program that can work with them.
    private struct Stored {
        var schema: Int32
        var oldest: Int32
    }

    private let pool: ConnectionPool
    private let versions: [Schema.Version]

    /// The number of attempts while others use the tables.
    private static let attempts = 5

    init(_ pool: ConnectionPool, versions: [Schema.Version] = Schema.versions) {
        self.pool = pool
        self.versions = versions
    }

    private var needed: Int32 { Int32(versions.count) }

    /// Returns the version of the tables, and the one that this program needs.
    ///
    /// - Throws: `JournalError` or `DatabaseError`.
    func tableVersions() async throws -> TableVersions {
        let stored = try await pool.withTransaction(
            TransactionOptions(isReadOnly: true)
        ) { try await self.stored($0) }
        return TableVersions(
            stored: stored.map { Int($0.schema) }, oldestProgram: Int(stored?.oldest ?? 0),
            needed: Int(needed))
    }

    /// - Parameter isPermitted: Whether the tables may be changed.
    /// - Throws: `JournalError` or `DatabaseError`.
    func run(isPermitted: Bool) async throws {
        var attempt = 1
        while true {
            do {
                return try await runOnce(isPermitted)
            } catch DatabaseError.server(let error) where error.sqlState == "55P03" {
                // Waiting longer for a lock would block all later statements that need it.
                guard attempt < Self.attempts else { throw Self.inUse }
                attempt += 1
                try await Task.sleep(for: .milliseconds(Int.random(in: 200...1_000)))
            }
        }
    }

    private func runOnce(_ isPermitted: Bool) async throws {
        // A read-only transaction, so that a database user without further privileges can start a
        // node.
        if let stored = try await pool.withTransaction(
            TransactionOptions(isReadOnly: true), { try await self.stored($0) })
        {
            try check(stored)
            if stored.schema >= needed { return }
        }
        guard isPermitted else { throw Self.manual }
        let options = TransactionOptions(timeLimit: .seconds(300), retries: 0)
        try await pool.withTransaction(options) { transaction in
            _ = try await transaction.execute(AdvisoryLock.migration.statement)
            let stored = try await stored(transaction) ?? Stored(schema: 0, oldest: 0)
            try check(stored)
            try await migrate(from: stored, transaction)
        }
    }

    private func stored(_ transaction: Transaction) async throws -> Stored? {
        // `to_regclass` may have cached that the table did not exist before another node created
        // it.
        let columns = try await transaction.execute(
            try Statement(
                """
                SELECT count(*), count(*) FILTER (
                    WHERE attname IN ('schema', 'oldest', 'bucket') AND atttypid = 'int4'::regtype)
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relname = 'cluster' AND pg_table_is_visible(c.oid)
                """))
        guard let found = columns.first, try found.value(0, .int8) > 0 else { return nil }
        guard try found.value(1, .int8) == 3 else { throw Self.foreign }
        let rows = try await transaction.execute(
            try Statement("SELECT schema, oldest FROM cluster"))
        guard let row = rows.first else { throw Self.foreign }
        return Stored(schema: try row.value(0, .int4), oldest: try row.value(1, .int4))
    }

    private func check(_ stored: Stored) throws {
        guard stored.oldest <= needed else {
            throw Self.refusal(
                "tables need a program that knows version \(stored.oldest), and this one knows \(needed)",
                "install a later version of symbolist")
        }
    }

    /// `lock_timeout` is set after taking the migration's own lock, because nodes that start
    /// together have to wait for it.
    private func migrate(from stored: Stored, _ transaction: Transaction) async throws {
        guard stored.schema < needed else { return }
        var statements = ["SET LOCAL lock_timeout = '2s'"]
        for version in versions[Int(stored.schema)...] { statements += version.statements }
        let oldest = max(stored.oldest, versions.last?.oldest ?? 0)
        _ = try await transaction.execute(try statements.map { try Statement($0) })
        _ = try await transaction.execute(
            try Statement(
                "UPDATE cluster SET schema = $1, oldest = $2",
                [.value(needed, .int4), .value(oldest, .int4)]))
    }

    private static func refusal(_ detail: String, _ suggestion: String) -> JournalError {
        JournalError(.other, Problem("database", detail: detail, suggestion: suggestion))
    }

    private static let foreign = refusal(
        "table 'cluster' is of another program", "use an empty database")
    private static let manual = refusal(
        "tables are of an earlier version or missing, and database.migrate is 'manual'",
        "run symbolist database migrate")
    private static let inUse = refusal(
        "tables are in use, and could not be changed",
        "end long transactions of other programs, and start again")
}
