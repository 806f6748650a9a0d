import PostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

/// Behind a pooler, each transaction may be on another connection of the server.
@Suite("Through a transaction pooler", .ownThreads)
struct PoolerTests {
    @Test("transactions of many connections share fewer connections of the server")
    func transactions() async throws {
        let pooler = try TestPooler(of: TestServer.shared, connections: 2)
        let settings = try ConnectionSettings(url: pooler.url)
        let limits = PoolLimits(connections: 9, acquisition: .seconds(300))
        try await withPool(settings, limits: limits) { pool in
            let table = "pooled\(UInt64.random(in: .min ... .max))"
            try await pool.run("CREATE TABLE \(table) (n integer)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in Int32(0)..<60 {
                    group.addTask { try await insert(number, into: table, pool) }
                }
                try await group.waitForAll()
            }
            #expect(try await pool.count(of: table) == 60)
            #expect(try await pool.sum(of: table) == 60 * 59 / 2)
            try await pool.run("DROP TABLE \(table)")
        }
    }

    private func insert(_ number: Int32, into table: String, _ pool: ConnectionPool) async throws {
        try await pool.withTransaction(patient) { transaction in
            let insert = try Statement("INSERT INTO \(table) VALUES ($1)", [.value(number, .int4)])
            let count = try Statement(
                "SELECT count(*) FROM \(table) WHERE n = $1", [.value(number, .int4)])
            let results = try await transaction.execute([insert, count])
            #expect(try results.last?.first?.value(0, .int8) == 1)
        }
    }

    @Test("limits and failures work, and leave nothing behind for the next transaction")
    func failures() async throws {
        let pooler = try TestPooler(of: TestServer.shared, connections: 1)
        try await withPool(try ConnectionSettings(url: pooler.url)) { pool in
            let sleep = try Statement("SELECT pg_sleep(600)")
            let short = TransactionOptions(timeLimit: .milliseconds(300))
            await #expect(throws: DatabaseError.timedOut(after: .milliseconds(300))) {
                try await pool.transact([sleep], short)
            }
            #expect(
                try await pool.value(.text, "SELECT current_setting('statement_timeout')")
                    == "5min")
            let limit = ResultLimit(rows: 1, bytes: 100)
            let many = try Statement("SELECT generate_series(1, 100000000)", limit: limit)
            await #expect(throws: DatabaseError.resultTooLarge(limit)) {
                try await pool.withTransaction(patient) { try await $0.execute(many) }
            }
            #expect(try await pool.value(.int4, "SELECT 1") == 1)
        }
    }
}
