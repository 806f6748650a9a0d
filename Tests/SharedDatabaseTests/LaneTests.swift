import CallStacks
import Ingest
import JournalSupport
import PostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Lanes", .serialized, .ownThreads)
struct LaneTests {
    @Test("nodes that start together have lanes of their own, with numbers of their own")
    func race() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                let claims = try await withThrowingTaskGroup(of: LaneClaim.self) { group in
                    for number in 0..<24 {
                        let database = number < 12 ? first.database : second.database
                        group.addTask { try await TestNode(in: database).lanes.claim() }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(claims.map(\.lane.rawValue).sorted() == Array(0..<24))
                #expect(claims.allSatisfy { $0.epoch == 1 && $0.tail == $0.lane.start })
                for claim in claims.prefix(3) {
                    let journal = LaneJournal(of: claim, in: first.database)
                    #expect(try await journal.append([draft(1)]) == [claim.lane.start + 1])
                    #expect(
                        try await journal.cursor(of: JournalReaders.worker) == claim.lane.start)
                    #expect(try await journal.entries(after: 0, count: 9, bytes: 9_999).count == 1)
                }
            }
        }
    }

    @Test("a released lane is claimed again before a new one is made, one with entries first")
    func reuse() async throws {
        try await TestCluster().withNode { node in
            var claims: [LaneClaim] = []
            for _ in 0..<4 { claims.append(try await node.lanes.claim()) }
            let third = try #require(claims.first { $0.lane.rawValue == 2 })
            _ = try await LaneJournal(of: third, in: node.database).append([draft(1)])
            for claim in claims where claim.lane.rawValue != 0 {
                try await node.lanes.release(claim)
            }
            let again = try await node.lanes.claim()
            #expect(again.lane == third.lane)
            #expect(again.epoch == 3)
            #expect(again.tail == third.lane.start + 1)
            #expect(again.total == 40)
            #expect(try await node.lanes.claim().lane.rawValue == 1)
        }
    }

    @Test("entries for a removed exporter make a node claim a lane only if it has a new exporter")
    func removedExporter() async throws {
        try await TestCluster().withNode { node in
            _ = try await node.journal()
            let free = try await node.journal()
            let held = try await node.journal()
            _ = try await held.cursor(of: "old")
            _ = try await held.append([draft(1)])
            try await held.advance(JournalReaders.worker, to: held.claim.tail + 1)
            for journal in [free, held] { try await node.lanes.release(journal.claim) }
            func lane(_ exporters: [String]) async throws -> LaneNumber {
                let claim = try await node.lanes.claim(
                    finishing: [JournalReaders.worker] + exporters)
                try await node.lanes.release(claim)
                return claim.lane
            }
            #expect(try await lane([]) == free.claim.lane)
            #expect(try await lane(["old"]) == held.claim.lane)
            // It may have another name for the same exporter.
            #expect(try await lane(["new"]) == held.claim.lane)
        }
    }

    @Test("a renewal does not wait for a server that does not respond until the lease has ended")
    func pausedServer() async throws {
        let server = try TestServer()
        let cluster = try TestCluster(on: server)
        let node = TestNode(in: try await cluster.open(), lease: .seconds(3))
        let claim = try await node.lanes.claim()
        // The connection is open before the server is paused.
        _ = try await node.lanes.renew([claim], finishing: [])
        try server.pause()
        let start = ContinuousClock.now
        await #expect(throws: JournalError.self) {
            try await node.lanes.renew([claim], finishing: [])
        }
        #expect(start.duration(to: .now) < .seconds(20))
        try server.resume()
        await node.database.close()
    }

    @Test("the owner of a lane that another node has claimed changes nothing")
    func fencing() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let old = try await node.journal()
            #expect(try await old.append([draft(1), draft(2)]) == [1, 2])
            #expect(try await TestNode(in: node.database).lanes.claim().lane.rawValue == 1)
            try await cluster.expireLeases()
            let new = try await TestNode(in: node.database).journal()
            #expect(new.claim.lane == old.claim.lane)
            #expect(new.claim.epoch > old.claim.epoch)

            let lost = await #expect(throws: JournalError.self) { try await old.append([draft(3)]) }
            #expect(lost?.reason == .closed)
            #expect(old.isLost)
            await #expect(throws: JournalError.self) { try await old.advance("worker", to: 2) }
            await #expect(throws: JournalError.self) { try await old.cursor(of: "file") }
            await #expect(throws: JournalError.self) { try await old.trimUnsent(keeping: 0) }
            let letter = DeadLetter(
                exporter: "file", signal: .logs, refusal: .at(1), reason: "400", recordCount: 1,
                body: [1])
            await #expect(throws: JournalError.self) {
                try await old.deadLetter(letter, advancingTo: 1)
            }
            let reconciliation = ReaderReconciliation(exporters: ["file"], stored: [])
            await #expect(throws: JournalError.self) { try await old.reconcile(reconciliation) }

            #expect(try await new.cursor(of: JournalReaders.worker) == 0)
            #expect(try await new.readers().isEmpty)
            #expect(try await node.database.deadLetterCounts().isEmpty)
            #expect(try await new.append([draft(4)]) == [3])
            let entries = try await new.entries(after: 0, count: 9, bytes: .max)
            #expect(entries.map(\.draft.key) == [1, 2, 4].map { draft($0).key })
        }
    }

    @Test("appends that wait for the database are refused when the loss of the lane is noticed")
    func lossDuringAppend() async throws {
        try await TestCluster().withNode { node in
            let journal = try await node.journal()
            try await node.database.pool.withTransaction { transaction in
                try await transaction.rows("LOCK TABLE entry IN SHARE MODE")
                let append = Task { try await journal.append([draft(1)]) }
                journal.recordLoss()
                let loss = await #expect(throws: JournalError.self) { try await append.value }
                #expect(loss?.reason == .closed)
            }
            #expect(journal.isLost)
            await #expect(throws: JournalError.self) { try await journal.checkFreeSpace() }
            await #expect(throws: JournalError.self) { try await journal.append([draft(2)]) }
        }
    }

    @Test("a released lane cannot be changed with the old claim")
    func released() async throws {
        try await TestCluster().withNode { node in
            let journal = try await node.journal()
            try await node.lanes.release(journal.claim)
            await #expect(throws: JournalError.self) { try await journal.append([draft(1)]) }
            try await node.lanes.release(journal.claim)
            #expect(try await node.lanes.claim().tail == 0)
        }
    }

    @Test("a node is listed until it leaves, or has not been heard of for a day")
    func nodes() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let second = TestNode(in: node.database)
            for lanes in [node.lanes, second.lanes] {
                _ = try await lanes.renew([], finishing: [])
            }
            #expect(try await cluster.run("SELECT id FROM node").count == 2)
            try await second.lanes.leave()
            #expect(try await cluster.run("SELECT id FROM node").count == 1)
            try await cluster.run("UPDATE node SET seen = now() - interval '2 days'")
            _ = try await second.lanes.claim()
            #expect(try await cluster.run("SELECT id FROM node").isEmpty)
        }
    }

    @Test("a renewal keeps a lane whose lease has ended, unless another node has claimed it")
    func renewal() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let first = try await node.journal()
            let second = try await node.journal()
            _ = try await first.append([draft(1, size: 100)])
            try await cluster.expireLeases()
            var renewal = try await node.lanes.renew(
                [first.claim, second.claim], finishing: [JournalReaders.worker])
            #expect(renewal.kept == [first.claim, second.claim])
            #expect(renewal.lost.isEmpty)
            #expect(renewal.waitingBytes == 100)
            #expect(renewal.adoptable.isEmpty)
            let now = try #require(node.lanes.clock.now)
            #expect(now.rawValue >= renewal.time.rawValue)

            try await cluster.expireLeases()
            let other = TestNode(in: node.database)
            let taken = try await other.lanes.claim()
            #expect(taken.lane == first.claim.lane)
            renewal = try await node.lanes.renew(
                [first.claim, second.claim], finishing: [JournalReaders.worker])
            #expect(renewal.kept == [second.claim])
            #expect(renewal.lost == [first.claim])
            // A claim of another node is of no use.
            #expect(try await node.lanes.renew([taken], finishing: []).lost == [taken])
        }
    }

    @Test("a lane without an owner is adopted by one node while its readers have entries to finish")
    func adoption() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let left = try await node.journal()
            _ = try await left.cursor(of: "file")
            _ = try await left.append([draft(1), draft(2)])
            try await cluster.expireLeases()
            let adopter = TestNode(in: node.database)
            let readers = [JournalReaders.worker, "file"]
            #expect(
                try await adopter.lanes.renew([], finishing: readers).adoptable == [left.claim.lane]
            )
            let claims = try await withThrowingTaskGroup(of: LaneClaim?.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await adopter.lanes.adopt(finishing: readers) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let adopted = try #require(claims.compactMap(\.self).first)
            #expect(claims.compactMap(\.self).count == 1)
            let journal = LaneJournal(of: adopted, in: node.database)
            try await journal.advance(JournalReaders.worker, to: 2)
            try await adopter.lanes.release(adopted)
            // The node has no exporter of this name, so it cannot finish the rest.
            #expect(try await adopter.lanes.adopt(finishing: [JournalReaders.worker]) == nil)
            let again = try #require(try await adopter.lanes.adopt(finishing: readers))
            let rest = LaneJournal(of: again, in: node.database)
            #expect(try await rest.entries(after: 0, count: 9, bytes: .max).count == 2)
            try await rest.advance("file", to: 2)
            try await adopter.lanes.release(again)
            #expect(try await adopter.lanes.adopt(finishing: readers) == nil)
        }
    }

    @Test("a task is done by one node at a time")
    func tasks() async throws {
        try await TestCluster().withNode { node in
            let first = SharedTasks(of: node.database, for: node.node)
            let second = SharedTasks(of: node.database, for: ClusterNode(name: "second"))
            #expect(try await first.hold("buckets", for: .seconds(3_600)))
            #expect(try await first.hold("buckets", for: .seconds(3_600)))
            #expect(try await !second.hold("buckets", for: .seconds(3_600)))
            #expect(try await second.hold("sweep", for: .seconds(3_600)))
            try await second.abandon("buckets")
            #expect(try await !second.hold("buckets", for: .seconds(3_600)))
            try await first.abandon("buckets")
            #expect(try await second.hold("buckets", for: .zero))
            #expect(
                await eventually {
                    let isHeld = try? await first.hold("buckets", for: .seconds(3_600))
                    return isHeld ?? false
                })
        }
    }

    @Test("letters that one node resends are not resent by another meanwhile")
    func deadLetters() async throws {
        try await TestCluster().withNode { node in
            let journal = try await node.journal()
            for number in 1...3 {
                let letter = DeadLetter(
                    exporter: "file", signal: .logs, refusal: .at(1), reason: "400",
                    recordCount: number, body: [1])
                try await journal.deadLetter(letter, advancingTo: 0)
            }
            func claim(
                _ count: Int, for claimant: DeadLetterClaimant,
                lasting time: Duration = .seconds(3_600)
            ) async throws -> [Int] {
                try await node.database.claimResendableDeadLetters(
                    of: "file", settingsFingerprint: "x", after: 0, count: count, for: claimant,
                    lasting: time
                ).map(\.recordCount)
            }
            let (own, other) = (DeadLetterClaimant(), DeadLetterClaimant())
            #expect(try await claim(2, for: own) == [1, 2])
            #expect(try await claim(9, for: other) == [3])
            try await node.database.releaseDeadLetters([3], of: own)
            #expect(try await claim(9, for: own, lasting: .zero) == [1, 2])
            #expect(
                await eventually {
                    let claimed = try? await claim(9, for: other)
                    return claimed == [1, 2, 3]
                })
            try await node.database.releaseDeadLetters([1, 3], of: other)
            #expect(try await claim(9, for: own) == [1, 3])
        }
    }

    @Test("time advances with the monotonic clock since the last renewal, and never back")
    func clock() async throws {
        let moment = MomentCell()
        let clock = ClusterClock(lease: .seconds(15), monotonic: { moment.value })
        try await TestCluster().withNode { node in
            let lanes = Lanes(of: node.database, for: node.node, clock: clock)
            #expect(clock.now == nil)
            #expect(!clock.permitsSending)
            let time = try await lanes.renew([], finishing: []).time
            #expect(clock.now == time)
            moment.value = .milliseconds(9_999)
            #expect(clock.now?.rawValue == time.rawValue + 9_999)
            #expect(clock.permitsSending)
            moment.value = .seconds(10)
            #expect(!clock.permitsSending)
            moment.value = .seconds(3_600)
            let late = try #require(clock.now)
            let again = try await lanes.renew([], finishing: []).time
            #expect(again.rawValue < late.rawValue)
            #expect(clock.now == late)
            #expect(clock.permitsSending)
        }
    }
}
