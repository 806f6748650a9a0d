import Ingest
import JournalSupport
import PostgreSQL
import Problems
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Tables of the cluster", .serialized, .ownThreads)
struct SchemaTests {
    private func withPool(
        of cluster: TestCluster, _ body: (ConnectionPool) async throws -> Void
    ) async throws {
        let pool = try ConnectionPool(
            try ConnectionSettings(url: cluster.url),
            limits: PoolLimits(connections: 3, acquisition: .seconds(300)))
        do {
            try await body(pool)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    private func problem(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? JournalError)?.problem.description
        }
    }

    @Test("nodes that start together on an empty database create the tables once")
    func together() async throws {
        let cluster = try TestCluster()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { await (try cluster.open()).close() } }
            try await group.waitForAll()
        }
        let rows = try await cluster.run("SELECT schema, oldest FROM cluster")
        #expect(rows.count == 1)
        #expect(try rows.first?.value(0, .int4) == Schema.version)
    }

    @Test("tables are neither created nor changed without permission")
    func manual() async throws {
        let cluster = try TestCluster()
        let problem = await problem { _ = try await cluster.open(migrates: false) }
        #expect(
            problem
                == """
                database: tables are of an earlier version or missing, and database.migrate is 'manual': \
                run symbolist database migrate
                """)
        await (try await cluster.open()).close()
        await (try await cluster.open(migrates: false)).close()
    }

    @Test("a program refuses tables only if a later version has changed them incompatibly")
    func later() async throws {
        let cluster = try TestCluster()
        await (try await cluster.open()).close()
        try await cluster.run("UPDATE cluster SET schema = 90")
        await (try await cluster.open()).close()
        try await cluster.run("UPDATE cluster SET oldest = 80")
        let problem = await problem { _ = try await cluster.open() }
        #expect(
            problem
                == """
                database: tables need a program that knows version 80, and this one knows \
                \(Schema.version): install a later version of symbolist
                """)
    }

    @Test("a database of another program is not touched")
    func foreign() async throws {
        let cluster = try TestCluster()
        try await cluster.run("CREATE TABLE cluster (name text)")
        let problem = await problem { _ = try await cluster.open() }
        #expect(
            problem == "database: table 'cluster' is of another program: use an empty database")
    }

    @Test("a migration runs once, and adds to what is stored")
    func migration() async throws {
        let cluster = try TestCluster()
        try await withPool(of: cluster) { pool in
            try await Migration(pool).run(isPermitted: true)
            let next =
                Schema.versions + [
                    Schema.Version(
                        oldest: 1, statements: ["ALTER TABLE node ADD COLUMN more integer"])
                ]
            for _ in 0..<2 { try await Migration(pool, versions: next).run(isPermitted: true) }
            let rows = try await cluster.run("SELECT schema, oldest FROM cluster")
            #expect(try rows.first?.value(0, .int4) == Schema.version + 1)
            #expect(try rows.first?.value(1, .int4) == 1)
            try await cluster.run("SELECT more FROM node")
            // This program works with the tables of the next one.
            try await Migration(pool).run(isPermitted: false)
        }
    }

    @Test(
        "a migration waits only briefly for other programs, so that it does not block them")
    func tablesInUse() async throws {
        let cluster = try TestCluster()
        try await withPool(of: cluster) { pool in
            try await Migration(pool).run(isPermitted: true)
            let next =
                Schema.versions + [
                    Schema.Version(
                        oldest: 1, statements: ["ALTER TABLE node ADD COLUMN more integer"])
                ]
            let problem = await problem {
                try await pool.withTransaction { transaction in
                    _ = try await transaction.execute(try Statement("SELECT * FROM node"))
                    try await withPool(of: cluster) { other in
                        try await Migration(other, versions: next).run(isPermitted: true)
                    }
                }
            }
            #expect(
                problem
                    == """
                    database: tables are in use, and could not be changed: end long transactions of \
                    other programs, and start again
                    """)
            try await Migration(pool, versions: next).run(isPermitted: true)
        }
    }
}
