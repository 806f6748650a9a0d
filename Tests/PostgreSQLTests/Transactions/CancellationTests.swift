import PostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

@Suite("Cancellation", .ownThreads)
struct CancellationTests {
    /// Waits until the server runs a statement with a comment, or does not run it.
    private func waitForStatement(_ comment: String, isRunning: Bool, _ pool: ConnectionPool) async
        -> Bool
    {
        await eventually(within: .seconds(300)) {
            let count = try? await pool.value(
                .int8,
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1",
                [.value("%/* \(comment) */", .text)])
            return (count ?? nil) == (isRunning ? 1 : 0)
        }
    }

    @Test("cancelling a task ends its statement on the server, and the connection is used again")
    func cancel() async throws {
        try await withPool(connections: 3) { pool in
            let comment = "cancel \(UInt64.random(in: .min ... .max))"
            let sleep = try Statement("SELECT pg_sleep(600) /* \(comment) */")
            let task = Task {
                await databaseError {
                    try await pool.withTransaction(patient) { _ = try await $0.execute(sleep) }
                }
            }
            #expect(await waitForStatement(comment, isRunning: true, pool))
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(await waitForStatement(comment, isRunning: false, pool))
            #expect(pool.status.open <= 2)
        }
    }

    @Test("a cancelled task begins no transaction")
    func cancelledBefore() async throws {
        try await withPool { pool in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await databaseError {
                    try await pool.withTransaction(patient) {
                        _ = try await $0.execute(try Statement("SELECT 1"))
                    }
                }
            }
            #expect(await task.value == .cancelled)
        }
    }
}
