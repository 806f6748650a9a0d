import PostgreSQL
import PostgreSQLSupport
import Testing

/// Options for statements that only a failing test waits for so long.
let patient = TransactionOptions(timeLimit: .seconds(300))

/// Runs `body` with a pool of the shared server, and closes the pool.
func withPool(
    connections: Int = 4, acquisition: Duration = .seconds(300),
    _ body: (ConnectionPool) async throws -> Void
) async throws {
    let settings = try ConnectionSettings(url: TestServer.shared.url())
    try await withPool(
        settings, limits: PoolLimits(connections: connections, acquisition: acquisition), body)
}

/// Runs `body` with a pool, and closes the pool.
func withPool(
    _ settings: ConnectionSettings, limits: PoolLimits = PoolLimits(acquisition: .seconds(300)),
    _ body: (ConnectionPool) async throws -> Void
) async throws {
    let pool = try ConnectionPool(settings, limits: limits)
    do {
        try await body(pool)
    } catch {
        await pool.close()
        throw error
    }
    await pool.close()
}

extension ConnectionPool {
    /// Executes one statement in a transaction of its own.
    @discardableResult
    func run(_ text: String, _ parameters: [Parameter] = []) async throws -> QueryResult {
        let results = try await transact([try Statement(text, parameters)], patient)
        return try #require(results.first)
    }

    /// Returns the first value of a result.
    func value<Value>(
        _ type: ColumnType<Value>, _ text: String, _ parameters: [Parameter] = []
    ) async throws -> Value? {
        try await run(text, parameters).first?.value(0, type)
    }

    /// Returns the number of rows of a table.
    func count(of table: String) async throws -> Int64? {
        try await value(.int8, "SELECT count(*) FROM \(table)")
    }

    /// Returns the sum of a table's column `n`.
    func sum(of table: String) async throws -> Int64? {
        try await value(.int8, "SELECT sum(n) FROM \(table)")
    }
}

/// Returns the database error that `body` throws, or `nil`.
func databaseError(_ body: () async throws -> Void) async -> DatabaseError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}
