import Ingest
import JournalSupport
import PostgreSQLSupport
import TestSupport
import Testing

@testable import SharedDatabase

/// Behind a pooler, each transaction may be on another connection of the server.
@Suite("A cluster behind a transaction pooler", .serialized, .ownThreads)
struct PoolerTests {
    @Test("lanes, entries, cursors and partitions work")
    func everything() async throws {
        let cluster = try TestCluster()
        let pooler = try TestPooler(of: cluster.server, connections: 3)
        let database = try await cluster.open(connections: 8, through: pooler)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await work(TestNode(in: database)) } }
                try await group.waitForAll()
            }
            let partitions = EntryPartitions(
                of: database, limits: PartitionLimits(age: .zero, detachment: .seconds(300)))
            #expect(try await partitions.advance())
            #expect(try await partitions.removeOldest() == .removed(0))
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func work(_ node: TestNode) async throws {
        let journal = try await node.journal()
        let start = journal.claim.lane.start
        _ = try await journal.cursor(of: "file")
        for number in 1...20 {
            let numbers = try await journal.append([draft(number), draft(number + 100)])
            #expect(numbers.last == start + Int64(2 * number))
            _ = try await node.lanes.renew([journal.claim], finishing: [])
        }
        let entries = try await node.database.entries(
            after: start, through: .max, count: 40, bytes: .max)
        #expect(entries.map(\.number) == Array(start + 1...start + 40))
        for reader in [JournalReaders.worker, "file"] {
            try await journal.advance(reader, to: start + 40)
        }
        #expect(try await journal.backlog() == Backlog())
        try await node.lanes.release(journal.claim)
    }
}
