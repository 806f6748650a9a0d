import PostgreSQLSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Connection pool", .ownThreads)
struct PoolTests {
    @Test("many transactions share few connections")
    func sharing() async throws {
        try await withPool(connections: 4) { pool in
            try await withThrowingTaskGroup(of: Int32?.self) { group in
                for number in Int32(0)..<100 {
                    group.addTask {
                        try await pool.value(.int4, "SELECT $1", [.value(number, .int4)])
                    }
                }
                let numbers = try await group.reduce(into: Set<Int32?>()) { $0.insert($1) }
                #expect(numbers.count == 100)
            }
            #expect(pool.status.open <= 3)
            #expect(pool.status.waiting == 0)
        }
    }

    @Test("transactions get a connection in the order in which they asked")
    func fairness() async throws {
        try await withPool(connections: 2) { pool in
            let order = Arrivals()
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await pool.withTransaction(patient) { _ in
                    for number in 0..<10 {
                        group.addTask {
                            try await pool.withTransaction(patient) { _ in
                                order.add(number)
                            }
                        }
                        #expect(await eventually { pool.status.waiting > number })
                    }
                }
                try await group.waitForAll()
            }
            #expect(order.numbers == Array(0..<10))
        }
    }

    @Test("a transaction that gets no connection in time fails, except one that renews a lease")
    func exhaustion() async throws {
        try await withPool(connections: 2, acquisition: .seconds(5)) { pool in
            try await pool.withTransaction(patient) { transaction in
                _ = try await transaction.execute(try Statement("SELECT 1"))
                await #expect(throws: DatabaseError.poolExhausted(after: .seconds(5))) {
                    try await pool.transact([], patient)
                }
            }
        }
        try await withPool(connections: 2) { pool in
            try await pool.withTransaction(patient) { transaction in
                _ = try await transaction.execute(try Statement("SELECT 1"))
                var renewal = patient
                renewal.connectionClass = .renewal
                let results = try await pool.transact([try Statement("SELECT 2")], renewal)
                #expect(try results.first?.first?.value(0, .int4) == 2)
            }
        }
    }

    @Test("closing ends waiting transactions, lets running ones finish, and refuses new ones")
    func closing() async throws {
        let pool = try ConnectionPool(
            try ConnectionSettings(url: TestServer.shared.url()),
            limits: PoolLimits(connections: 2, acquisition: .seconds(300)))
        try await pool.withTransaction(patient) { transaction in
            _ = try await transaction.execute(try Statement("SELECT 1"))
            let waiting = Task { await databaseError { try await pool.run("SELECT 1") } }
            #expect(await eventually { pool.status.waiting == 1 })
            let closing = Task { await pool.close() }
            #expect(await waiting.value == .closed)
            #expect(try await transaction.execute(try Statement("SELECT 1")).count == 1)
            _ = closing
        }
        await pool.close()
        #expect(pool.status.open == 0)
        #expect(await databaseError { try await pool.run("SELECT 1") } == .closed)
    }

    @Test("an unused connection that the server closed is replaced")
    func replacement() async throws {
        try await withPool(connections: 2) { pool in
            let process = try #require(try await pool.value(.int4, "SELECT pg_backend_pid()"))
            try await withPool { other in
                try await other.run("SELECT pg_terminate_backend($1)", [.value(process, .int4)])
            }
            #expect(await eventually { pool.status.open == 0 })
            let next = try await pool.value(.int4, "SELECT pg_backend_pid()")
            #expect(next != process)
        }
    }

    @Test("a connection that is lost after a commit and before it is given back is not used again")
    func lossAfterCommit() async throws {
        try await withPool(connections: 2) { pool in
            let connection = try await pool.acquire(.general)
            let own = Pipeline(
                statements: [try Statement("SELECT pg_backend_pid()")], commits: false,
                timeLimit: patient.timeLimit)
            let results = try await connection.results(
                of: connection.submit(own), isCancellable: false)
            let process = try #require(try results.first?.first?.value(0, .int4))
            try await withPool { other in
                try await other.run("SELECT pg_terminate_backend($1)", [.value(process, .int4)])
            }
            let isLost = await eventually {
                await databaseError {
                    _ = try await connection.results(
                        of: connection.submit(own), isCancellable: false)
                } != nil
            }
            #expect(isLost)
            pool.release(connection, kind: .general, isClean: true)
            #expect(try await pool.value(.int4, "SELECT 1") == 1)
        }
    }
}

/// Numbers in the order in which tasks add them.
private final class Arrivals: Sendable {
    private let added = Mutex<[Int]>([])

    var numbers: [Int] { added.withLock { $0 } }

    func add(_ number: Int) { added.withLock { $0.append(number) } }
}
