import PostgreSQL
import PostgreSQLSupport
import Problems
import TestSupport
import Testing

@Suite("Transactions", .ownThreads)
struct TransactionTests {
    /// A table with a name of its own, because all tests share a database.
    private func withTable(
        _ columns: String, _ body: (ConnectionPool, String) async throws -> Void
    ) async throws {
        try await withPool { pool in
            let table = "t\(UInt64.random(in: .min ... .max))"
            try await pool.run("CREATE TABLE \(table) (\(columns))")
            try await body(pool, table)
            try await pool.run("DROP TABLE \(table)")
        }
    }

    @Test("results come in the order of the statements, in one wait")
    func order() async throws {
        try await withPool { pool in
            let statements = try (0..<200).map {
                try Statement("SELECT $1 WHERE $1 % 2 = 0", [.value($0, .int4)])
            }
            let results = try await pool.transact(statements, patient)
            let numbers = try results.map { try $0.map { row in try row.value(0, .int4) } }
            #expect(numbers == (0..<200).map { $0 % 2 == 0 ? [$0] : [] })
        }
    }

    @Test("a statement that cannot be in a transaction is executed alone")
    func alone() async throws {
        try await withTable("n integer") { pool, table in
            let text = "CREATE INDEX CONCURRENTLY ON \(table) (n)"
            guard case .server(let error) = await databaseError({ try await pool.run(text) }) else {
                Issue.record("executed in a transaction")
                return
            }
            #expect(error.sqlState == "25001")
            _ = try await pool.executeAlone(try Statement(text), timeLimit: .seconds(300))
            let indexes = "SELECT count(*) FROM pg_indexes WHERE tablename = $1"
            #expect(try await pool.value(.int8, indexes, [.value(table, .text)]) == 1)
            let sleep = try Statement("SELECT pg_sleep(600)")
            await #expect(throws: DatabaseError.timedOut(after: .milliseconds(300))) {
                try await pool.executeAlone(sleep, timeLimit: .milliseconds(300))
            }
            #expect(try await pool.count(of: table) == 0)
        }
    }

    @Test("a pipeline whose statements and results exceed all buffers is not stuck")
    func largePipeline() async throws {
        try await withPool { pool in
            let body = [UInt8](repeating: 7, count: 200_000)
            let statements = try (0..<60).map { _ in
                try Statement("SELECT $1", [.value(body, .bytea)])
            }
            let results = try await pool.transact(statements, patient)
            #expect(try results.allSatisfy { try $0.first?.value(0, .bytea) == body })
        }
    }

    @Test("statements are committed when the body returns, and rolled back when it throws")
    func rollback() async throws {
        struct Refusal: Error {}
        try await withTable("n integer") { pool, table in
            let insert = try Statement("INSERT INTO \(table) VALUES (1), (2)")
            let changed = try await pool.withTransaction(patient) { transaction in
                try await transaction.execute(insert).affectedRows
            }
            #expect(changed == 2)
            await #expect(throws: Refusal.self) {
                try await pool.withTransaction(patient) { transaction in
                    _ = try await transaction.execute(insert)
                    throw Refusal()
                }
            }
            let count = try await pool.count(of: table)
            #expect(count == 2)
        }
    }

    @Test("a violated constraint is reported by name, and nothing of the transaction remains")
    func constraint() async throws {
        try await withTable("n integer CONSTRAINT positive CHECK (n > 0)") { pool, table in
            let error = await databaseError {
                _ = try await pool.transact(
                    [
                        try Statement("INSERT INTO \(table) VALUES (1)"),
                        try Statement("INSERT INTO \(table) VALUES (-1)"),
                        try Statement("INSERT INTO \(table) VALUES (2)"),
                    ], patient)
            }
            guard case .server(let server) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.sqlState == "23514")
            #expect(server.severity == "ERROR")
            #expect(server.constraint == "positive")
            #expect(server.table == table)
            #expect(server.detail?.contains("-1") == true)
            #expect(error?.problem.detail.contains("positive") == true)
            #expect(error.map { "\($0)".contains("-1") } == false)
            let count = try await pool.count(of: table)
            #expect(count == 0)
        }
    }

    @Test("a deferred constraint fails the commit, which is not an unknown outcome")
    func deferredConstraint() async throws {
        try await withTable("n integer UNIQUE DEFERRABLE INITIALLY DEFERRED") { pool, table in
            let insert = try Statement("INSERT INTO \(table) VALUES (1)")
            let error = await databaseError {
                try await pool.withTransaction(patient) { transaction in
                    _ = try await transaction.execute([insert, insert])
                }
            }
            guard case .server(let server) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.sqlState == "23505")
        }
    }

    @Test("a failure that the body ignores still prevents the commit")
    func ignoredFailure() async throws {
        try await withTable("n integer") { pool, table in
            let error = await databaseError {
                try await pool.withTransaction(patient) { transaction in
                    _ = try await transaction.execute(
                        try Statement("INSERT INTO \(table) VALUES (1)"))
                    _ = try? await transaction.execute(try Statement("SELECT 1 / 0"))
                }
            }
            guard case .server(let server) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.sqlState == "22012")
            let count = try await pool.count(of: table)
            #expect(count == 0)
        }
    }

    @Test("a transaction is not usable after its end")
    func escaped() async throws {
        try await withPool { pool in
            let transaction = try await pool.withTransaction(patient) { $0 }
            await #expect(throws: DatabaseError.closed) {
                try await transaction.execute(try Statement("SELECT 1"))
            }
        }
    }

    @Test("a deadlock is resolved by repeating one of the transactions")
    func deadlock() async throws {
        try await withTable("id integer PRIMARY KEY, n integer") { pool, table in
            try await pool.run("INSERT INTO \(table) VALUES (1, 0), (2, 0)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for order in [[1, 2], [2, 1]] as [[Int32]] {
                    group.addTask {
                        try await pool.withTransaction(patient) { transaction in
                            for id in order {
                                let update = try Statement(
                                    "UPDATE \(table) SET n = n + 1 WHERE id = $1",
                                    [.value(id, .int4)])
                                _ = try await transaction.execute(update)
                                try await Task.sleep(for: .milliseconds(200))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await pool.sum(of: table)
            #expect(sum == 4)
        }
    }

    @Test("serialization failures are repeated within a bound")
    func serialization() async throws {
        try await withTable("n integer") { pool, table in
            try await pool.run("INSERT INTO \(table) VALUES (0)")
            var options = patient
            options.isolation = .repeatableRead
            options.retries = 2
            var attempts = 0
            let error = await databaseError {
                try await pool.withTransaction(options) { transaction in
                    attempts += 1
                    _ = try await transaction.execute(try Statement("SELECT n FROM \(table)"))
                    try await pool.run("UPDATE \(table) SET n = n + 1")
                    _ = try await transaction.execute(
                        try Statement("UPDATE \(table) SET n = n + 1"))
                }
            }
            #expect(error?.isTransient == true)
            #expect(attempts == 3)
        }
    }

    @Test("a transaction that waited too long for a lock is repeated within a bound")
    func lockTimeout() async throws {
        try await withTable("n integer") { pool, table in
            var options = patient
            options.retries = 1
            var attempts = 0
            let lock = try Statement("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
            let error = try await pool.withTransaction { holder in
                _ = try await holder.execute(lock)
                return await databaseError {
                    try await pool.withTransaction(options) { transaction in
                        attempts += 1
                        _ = try await transaction.execute([
                            try Statement("SET LOCAL lock_timeout = '10ms'"), lock,
                        ])
                    }
                }
            }
            #expect(error?.isTransient == true)
            #expect(attempts == 2)
            try await pool.withTransaction { _ = try await $0.execute(lock) }
        }
    }

    @Test("a transaction that reads only cannot write")
    func readOnly() async throws {
        try await withTable("n integer") { pool, table in
            var options = patient
            options.isReadOnly = true
            let insert = try Statement("INSERT INTO \(table) VALUES (1)")
            let error = await databaseError { _ = try await pool.transact([insert], options) }
            guard case .server(let server) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.sqlState == "25006")
            let count = try await pool.count(of: table)
            #expect(count == 0)
        }
    }

    @Test("a result beyond its limit is refused without being kept, and the pool stays usable")
    func limits() async throws {
        try await withPool { pool in
            let limit = ResultLimit(rows: 100, bytes: 1000)
            for text in [
                "SELECT generate_series(1, 100000000)", "SELECT repeat('x', 1001)",
                "SELECT g FROM generate_series(1, 101) g",
            ] {
                let statement = try Statement(text, limit: limit)
                await #expect(throws: DatabaseError.resultTooLarge(limit)) {
                    try await pool.withTransaction(patient) { try await $0.execute(statement) }
                }
            }
            let fitting = try Statement("SELECT generate_series(1, 100)", limit: limit)
            #expect(try await pool.transact([fitting], patient).first?.count == 100)
        }
    }

    @Test("a statement beyond its time limit is ended, and the pool stays usable")
    func timeLimit() async throws {
        try await withPool(connections: 2) { pool in
            let options = TransactionOptions(timeLimit: .milliseconds(300))
            let sleep = try Statement("SELECT pg_sleep(600)")
            await #expect(throws: DatabaseError.timedOut(after: .milliseconds(300))) {
                try await pool.transact([sleep], options)
            }
            #expect(try await pool.value(.int4, "SELECT 1") == 1)
        }
    }

    @Test("a copy, which no pipeline can carry out, is an error")
    func copy() async throws {
        try await withPool { pool in
            let copy = try Statement("COPY (SELECT 1) TO STDOUT")
            #expect(await databaseError { _ = try await pool.transact([copy], patient) } != nil)
            #expect(try await pool.value(.int4, "SELECT 1") == 1)
        }
    }
}
