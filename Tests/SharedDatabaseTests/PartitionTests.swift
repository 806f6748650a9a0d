import Foundation
import Ingest
import JournalSupport
import PostgreSQL
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Partitions of entries", .serialized, .ownThreads)
struct PartitionTests {
    /// Limits at which each call begins a partition.
    private static let small = PartitionLimits(age: .zero, detachment: .seconds(300))

    /// Renews the lease of a lane, so that it appends to the current partition.
    private func renew(_ journal: LaneJournal, _ node: TestNode) async throws {
        #expect(try await node.lanes.renew([journal.claim], finishing: []).kept == [journal.claim])
    }

    private func numbers(_ partitions: EntryPartitions) async throws -> [Int32] {
        try await partitions.stored().map(\.number)
    }

    @Test("a partition begins when the current one is old or large")
    func beginning() async throws {
        try await TestCluster().withNode { node in
            let partitions = EntryPartitions(of: node.database)
            #expect(try await !partitions.advance())
            #expect(try await numbers(partitions) == [0, 1])
            #expect(try await EntryPartitions(of: node.database, limits: Self.small).advance())
            #expect(try await numbers(partitions) == [0, 1, 2])
            let large = PartitionLimits(bytes: 400_000)
            let journal = try await node.journal()
            #expect(try await !EntryPartitions(of: node.database, limits: large).advance())
            _ = try await journal.append((1...4).map { draft($0, size: 100_000) })
            #expect(try await EntryPartitions(of: node.database, limits: large).advance())
        }
    }

    @Test("the oldest partition goes when every reader has passed it and no lane appends to it")
    func removal() async throws {
        try await TestCluster().withNode { node in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            let journal = try await node.journal()
            _ = try await journal.cursor(of: "file")
            #expect(try await journal.append([draft(1), draft(2)]) == [1, 2])
            #expect(try await partitions.removeOldest() == .nothing)
            #expect(try await partitions.advance())
            try await journal.advance(JournalReaders.worker, to: 2)
            try await journal.advance("file", to: 1)
            // The lane still appends to it.
            #expect(try await partitions.removeOldest() == .nothing)
            try await renew(journal, node)
            #expect(try await journal.append([draft(3)]) == [3])
            // A reader has not passed it.
            #expect(try await partitions.removeOldest() == .nothing)
            try await journal.advance("file", to: 2)
            #expect(try await partitions.removeOldest() == .removed(0))
            #expect(try await numbers(partitions) == [1, 2])
            #expect(try await journal.entry(2) == nil)
            let entries = try await journal.entries(after: 0, count: 9, bytes: .max)
            #expect(entries.map(\.number) == [3])
            let stored = try await node.database.entries(
                after: 0, through: .max, count: 1, bytes: 0)
            #expect(stored.map(\.number) == [3])
            #expect(try await partitions.removeOldest() == .nothing)
            #expect(
                try await journal.backlog()
                    == Backlog(
                        bytes: 40, count: 1, oldest: .at(3), reader: JournalReaders.worker))
            // An old cursor is behind what is stored.
            try await journal.advance("file", to: 1)
            #expect(try await journal.cursor(of: "file") == 2)
        }
    }

    @Test("a lane whose lease has ended is taken from its owner before its partition goes")
    func expiredLane() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            let journal = try await node.journal()
            try await cluster.expireLeases()
            #expect(try await partitions.advance())
            #expect(try await partitions.removeOldest() == .removed(0))
            let lost = await #expect(throws: JournalError.self) {
                try await journal.append([draft(1)])
            }
            #expect(lost?.reason == .closed)
            #expect(try await node.journal().append([draft(1)]) == [1])
        }
    }

    @Test("a lane that a paused node has locked delays the removal of a partition, and no renewal")
    func lockedLane() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            let paused = try await node.journal()
            let journal = try await node.journal()
            #expect(try await partitions.advance())
            try await renew(journal, node)
            try await cluster.run(
                "UPDATE lane SET until = now() - interval '1 second' WHERE id = 0")
            try await cluster.withNode { other in
                try await other.database.pool.withTransaction { transaction in
                    let lock = try Statement("UPDATE lane SET tail = tail WHERE id = 0")
                    _ = try await transaction.execute(lock)
                    #expect(try await partitions.removeOldest() == .nothing)
                    try await renew(journal, node)
                }
            }
            #expect(try await partitions.removeOldest() == .removed(0))
            await #expect(throws: JournalError.self) { try await paused.append([draft(1)]) }
        }
    }

    @Test("an unfinished import keeps its own entries, and holds up no other partition")
    func unfinishedImport() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            let moved = try #require(
                try await FolderImport.begin(UUID(), of: "/data", in: node.database))
            #expect(try await partitions.advance())
            // It has no entries yet.
            #expect(try await partitions.removeOldest() == .removed(0))
            try await moved.append([draft(1)])
            let kept = try await numbers(partitions).dropLast()
            #expect(try await partitions.advance())
            #expect(try await partitions.advance())
            while case .removed = try await partitions.removeOldest() {}
            #expect(try await numbers(partitions).contains(try #require(kept.last)))
            #expect(try await numbers(partitions).count == 3)
            let entries = try await node.database.entries(
                after: 0, through: .max, count: 9, bytes: .max)
            #expect(entries.count == 1)
            #expect(try await FolderImport.unfinished(in: node.database) == [])
            #expect(
                try await FolderImport.unfinished(in: node.database, after: .zero) == ["/data"])
        }
    }

    @Test("an old snapshot delays the removal of a partition, and nothing else")
    func oldSnapshot() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let limits = PartitionLimits(age: .zero, detachment: .milliseconds(500))
            let partitions = EntryPartitions(of: node.database, limits: limits)
            let journal = try await node.journal()
            _ = try await journal.append([draft(1)])
            try await journal.advance(JournalReaders.worker, to: 1)
            #expect(try await partitions.advance())
            try await renew(journal, node)
            try await cluster.withNode { other in
                let old = TransactionOptions(
                    isolation: .repeatableRead, timeLimit: .seconds(3_600))
                try await other.database.pool.withTransaction(old) { transaction in
                    let count = try Statement("SELECT count(*) FROM entry")
                    _ = try await transaction.execute(count)
                    guard case .blocked(0, let holders) = try await partitions.removeOldest() else {
                        Issue.record("the partition went while a transaction saw it")
                        return
                    }
                    #expect(holders.contains { $0.application == "symbolist" })
                    // The partition is hidden from new transactions, and the others are used.
                    #expect(try await journal.append([draft(2)]) == [2])
                    #expect(try await journal.entries([2], bytes: .max).count == 1)
                    #expect(try await partitions.advance())
                    guard case .blocked(0, _) = try await partitions.removeOldest() else {
                        Issue.record("the partition went while a transaction saw it")
                        return
                    }
                }
            }
            let patient = EntryPartitions(of: node.database, limits: Self.small)
            #expect(try await patient.removeOldest() == .removed(0))
            #expect(try await journal.entry(2) != nil)
        }
    }

    @Test("a removal that broke off is finished, or undone if entries are needed")
    func interrupted() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            let journal = try await node.journal()
            #expect(try await journal.append([draft(1)]) == [1])
            #expect(try await partitions.advance())
            try await cluster.run("ALTER TABLE entry DETACH PARTITION entry_0")
            #expect(try await partitions.removeOldest() == .kept(0))
            #expect(try await journal.entries([1], bytes: .max).count == 1)
            try await journal.advance(JournalReaders.worker, to: 1)
            try await cluster.run("ALTER TABLE entry DETACH PARTITION entry_0")
            #expect(try await partitions.removeOldest() == .removed(0))
        }
    }

    @Test("partitions come and go under load, and no reader misses an entry")
    func underLoad() async throws {
        try await TestCluster().withNode { node in
            let journal = try await node.journal()
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<200 {
                        _ = try await journal.append([draft(number), draft(number + 1_000)])
                    }
                }
                group.addTask {
                    var last: Int64 = 0
                    while last < 400 {
                        let entries = try await node.database.entries(
                            after: last, through: .max, count: 20, bytes: .max)
                        for entry in entries {
                            try #require(entry.number == last + 1)
                            last = entry.number
                        }
                        try await journal.advance(JournalReaders.worker, to: last)
                    }
                }
                group.addTask {
                    var removed = 0
                    while removed < 5 {
                        _ = try await partitions.advance()
                        try await renew(journal, node)
                        if case .removed = try await partitions.removeOldest() { removed += 1 }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await journal.backlog() == Backlog())
        }
    }
}
