import PostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

/// A server that is killed, of this test alone.
@Suite("Failures of the server", .ownThreads)
struct ServerFailureTests {
    /// Waits until a number of other clients run a statement like a pattern.
    private func waitForStatement(like pattern: String, _ pool: ConnectionPool) async -> Bool {
        await eventually(within: .seconds(300)) {
            let count = try? await pool.value(
                .int8,
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()
                """, [.value(pattern, .text)])
            return (count ?? nil) == 1
        }
    }

    @Test(
        "a server killed during a statement loses the connection, and is used again when it is back"
    )
    func killedInStatement() async throws {
        let server = try TestServer()
        try await withPool(try ConnectionSettings(url: server.url())) { pool in
            try await pool.run("CREATE TABLE kept (n integer)")
            let statement = try Statement("INSERT INTO kept SELECT 1 FROM pg_sleep(600)")
            let task = Task {
                await databaseError {
                    try await pool.withTransaction(patient) { _ = try await $0.execute(statement) }
                }
            }
            #expect(await waitForStatement(like: "INSERT%", pool))
            try server.kill()
            guard case .connectionLost = await task.value else {
                Issue.record("\(String(describing: await task.value))")
                return
            }
            guard case .cannotConnect = await databaseError({ try await pool.run("SELECT 1") })
            else {
                Issue.record("connected to a killed server")
                return
            }
            try server.start()
            #expect(try await pool.count(of: "kept") == 0)
        }
    }

    @Test("a server killed before a commit takes effect leaves an unknown outcome")
    func killedBeforeCommit() async throws {
        let server = try TestServer()
        try await withPool(try ConnectionSettings(url: server.url())) { pool in
            try await pool.run("CREATE TABLE kept (n integer)")
            try await pool.run(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END'
                """)
            try await pool.run(
                """
                CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON kept DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION slow()
                """)
            let error = try await killDuringCommit(server, pool)
            guard case .outcomeUnknown = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try server.start()
            #expect(try await pool.count(of: "kept") == 0)
        }
    }

    @Test("a server killed after a commit took effect leaves an unknown outcome")
    func killedAfterCommit() async throws {
        // A commit is durable, and then waits for a replica that does not exist.
        let server = try TestServer(
            configuration: "synchronous_standby_names = 'none'\nsynchronous_commit = local\n")
        try await withPool(try ConnectionSettings(url: server.url())) { pool in
            try await pool.run("CREATE TABLE kept (n integer)")
            let error = try await killDuringCommit(
                server, pool, before: "SET LOCAL synchronous_commit = on")
            guard case .outcomeUnknown = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try server.start()
            #expect(try await pool.count(of: "kept") == 1)
        }
    }

    /// Inserts a row, and kills the server while it commits.
    private func killDuringCommit(
        _ server: TestServer, _ pool: ConnectionPool, before: String = "SELECT 1"
    ) async throws -> DatabaseError? {
        let statements = [try Statement(before), try Statement("INSERT INTO kept VALUES (1)")]
        let task = Task {
            await databaseError {
                try await pool.withTransaction(patient) { _ = try await $0.execute(statements) }
            }
        }
        #expect(await waitForStatement(like: "COMMIT", pool))
        try server.kill()
        return await task.value
    }

    @Test(
        "a server that accepts connections and never responds delays nothing beyond the time limit")
    func paused() async throws {
        let server = try TestServer()
        let limits = PoolLimits(connections: 3, acquisition: .seconds(300))
        try await withPool(try ConnectionSettings(url: server.url()), limits: limits) { pool in
            let short = TransactionOptions(timeLimit: .milliseconds(300))
            try await pool.run("CREATE TABLE kept (n integer)")
            try server.pause()
            await #expect(throws: DatabaseError.timedOut(after: .milliseconds(300))) {
                try await pool.withTransaction(short) { transaction in
                    _ = try await transaction.execute(try Statement("SELECT 1"))
                }
            }
            // The first connection is given up, as is the second one, which cannot be opened.
            let insert = try Statement("INSERT INTO kept VALUES (1)")
            let error = await databaseError { _ = try await pool.transact([insert], short) }
            guard case .cannotConnect = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(await eventually { pool.status.open == 0 })
            try server.resume()
            let count = try await pool.count(of: "kept")
            #expect(count == 0)
        }
    }

    @Test("a commit without a response leaves an unknown outcome")
    func pausedCommit() async throws {
        let server = try TestServer()
        try await withPool(try ConnectionSettings(url: server.url())) { pool in
            try await pool.run("CREATE TABLE kept (n integer)")
            try server.pause()
            let insert = try Statement("INSERT INTO kept VALUES (1)")
            let options = TransactionOptions(timeLimit: .seconds(1))
            let error = await databaseError { _ = try await pool.transact([insert], options) }
            #expect(error == .outcomeUnknown("no response from the server"))
            try server.resume()
            // The statements are still in the socket of the closed connection, and so is the
            // request to end them, so the server may execute them now.
            #expect(try await pool.value(.int4, "SELECT 1") == 1)
        }
    }

    @Test("a commit that no replica confirms in time leaves an unknown outcome")
    func withoutReplica() async throws {
        let server = try TestServer(
            configuration: "synchronous_standby_names = 'none'\nsynchronous_commit = local\n")
        try await withPool(try ConnectionSettings(url: server.url())) { pool in
            try await pool.run("CREATE TABLE kept (n integer)")
            let statements = [
                try Statement("SET LOCAL synchronous_commit = on"),
                try Statement("INSERT INTO kept VALUES (1)"),
            ]
            let options = TransactionOptions(timeLimit: .seconds(1))
            let error = await databaseError { _ = try await pool.transact(statements, options) }
            #expect(error == .outcomeUnknown("no response from the server"))
        }
    }

    @Test("a connection that the administrator ends during a statement is lost")
    func terminated() async throws {
        try await withPool { pool in
            let error = await databaseError {
                try await pool.withTransaction(patient) { transaction in
                    let own = try Statement("SELECT pg_backend_pid()")
                    let process = try await transaction.execute(own).first?.value(0, .int4)
                    let sleep = try Statement("SELECT pg_sleep(600)")
                    async let ending: Void = end(process ?? 0, pool)
                    _ = try await transaction.execute(sleep)
                    try await ending
                }
            }
            #expect(
                error
                    == .connectionLost("terminating connection due to administrator command"))
        }
    }

    private func end(_ process: Int32, _ pool: ConnectionPool) async throws {
        try await pool.run("SELECT pg_terminate_backend($1)", [.value(process, .int4)])
    }

    @Test("a paused client does not hold its locks for longer than the time limit")
    func pausedClient() async throws {
        try await withPool { pool in
            let options = TransactionOptions(timeLimit: .seconds(1))
            let error = await databaseError {
                try await pool.withTransaction(options) { transaction in
                    let own = try Statement("SELECT pg_backend_pid()")
                    let process = try await transaction.execute(own).first?.value(0, .int4) ?? 0
                    let query = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1"
                    let isGone = await eventually(within: .seconds(300)) {
                        let count = try? await pool.value(.int8, query, [.value(process, .int4)])
                        return (count ?? nil) == 0
                    }
                    #expect(isGone)
                    _ = try await transaction.execute(own)
                }
            }
            guard case .connectionLost = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
