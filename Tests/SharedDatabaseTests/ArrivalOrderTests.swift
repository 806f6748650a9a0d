import CallStacks
import Ingest
import JournalSupport
import PostgreSQL
import SymbolIntake
import TestSupport
import Testing

@testable import SharedDatabase

/// Changes of symbols beside commits of runs, in an order that locks determine.
@Suite("Arrivals of symbols beside commits", .serialized, .ownThreads)
struct ArrivalOrderTests {
    /// Two nodes, and a connection that holds locks.
    private struct Cluster {
        let cluster: TestCluster
        let lane: LaneJournal
        let other: LaneJournal
        let holder: SharedDatabase

        /// Waits until as many transactions wait for the lock of changes of symbols.
        func waitForWaiters(_ count: Int64) async throws {
            for _ in 0..<6_000 {
                let rows = try await holder.read(
                    """
                    SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                    WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
                    """)
                if try rows.first?.value(0, .int8) == count { return }
                try await Task.sleep(for: .milliseconds(20))
            }
            Issue.record("\(count) transactions do not wait")
        }

        /// Runs two writes that wait for the lock of changes of symbols in this order.
        func run(
            _ first: @escaping @Sendable () async throws -> Void,
            then second: @escaping @Sendable () async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await holder.pool.withTransaction { transaction in
                    try await SymbolChangeTable(transaction).lock()
                    group.addTask { try await first() }
                    try await waitForWaiters(1)
                    group.addTask { try await second() }
                    try await waitForWaiters(2)
                }
                try await group.waitForAll()
            }
        }
    }

    private func withCluster(_ body: (Cluster) async throws -> Void) async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                try await cluster.withNode { third in
                    try await body(
                        Cluster(
                            cluster: cluster, lane: try await first.journal(),
                            other: try await second.journal(), holder: third.database))
                }
            }
        }
    }

    /// Appends entries, and returns a run of diagnostics that want an image which was missing.
    private func run(
        wanting number: UInt8, in lane: LaneJournal, ignoresChanges: Bool = false
    ) async throws -> WorkerCommit {
        let numbers = try await lane.appendAll((1...3).map { draft($0) })
        let seen = try await lane.database.lastSymbolChange()
        return WorkerCommit(
            lastNumber: numbers.last ?? 0,
            diagnostics: numbers.map { diagnostic($0, wanting: [wanted(number)], at: 5) },
            symbolsSeen: ignoresChanges ? .max : seen)
    }

    @Test("symbols that arrive before a commit or after it awaken the diagnostics of the run")
    func bothOrders() async throws {
        try await withCluster { cluster in
            for round in 1...6 as ClosedRange<UInt8> {
                let commit = try await run(wanting: round, in: cluster.lane)
                let commits = { @Sendable in try await cluster.lane.commit(commit) }
                let arrives = { @Sendable in
                    _ = try await cluster.other.database.add(debugFile(of: image(round)))
                }
                if round % 2 == 0 {
                    try await cluster.run(commits, then: arrives)
                } else {
                    try await cluster.run(arrives, then: commits)
                }
                #expect(try await cluster.other.awakenedImages() == [image(round)])
                let terms = ResendTerms(oldest: .at(0), due: .at(6))
                let step = try await cluster.other.stepAwakening(of: image(round), terms)
                #expect(step.markedCount == 3)
            }
        }
    }

    @Test("a commit that does not ask for changes misses an arrival before it")
    func negativeControl() async throws {
        try await withCluster { cluster in
            let commit = try await run(wanting: 1, in: cluster.lane, ignoresChanges: true)
            try await cluster.run {
                _ = try await cluster.other.database.add(debugFile(of: image(1)))
            } then: {
                try await cluster.lane.commit(commit)
            }
            #expect(try await cluster.other.awakenedImages().isEmpty)
        }
    }

    @Test("what a node that dies was marking is marked by a later step of another one")
    func deadNode() async throws {
        struct Killed: Error {}
        try await withCluster { cluster in
            let commit = try await run(wanting: 1, in: cluster.lane)
            try await cluster.lane.commit(commit)
            _ = try await cluster.lane.database.add(debugFile(of: image(1)))
            let terms = ResendTerms(oldest: .at(0), due: .at(6))
            await #expect(throws: Killed.self) {
                try await cluster.holder.pool.withTransaction { transaction in
                    try await transaction.rows("SELECT 1 FROM missing_image FOR UPDATE")
                    let step = try await cluster.other.stepAwakening(of: image(1), terms)
                    #expect(step == AwakeningStep())
                    #expect(try await cluster.other.awakenedImages() == [image(1)])
                    throw Killed()
                }
            }
            // The server frees the lock once it notices that the connection is closed.
            var markedCount = 0
            for _ in 0..<6_000 where markedCount == 0 {
                markedCount = try await cluster.other.stepAwakening(of: image(1), terms).markedCount
                if markedCount == 0 { try await Task.sleep(for: .milliseconds(20)) }
            }
            #expect(markedCount == 3)
            #expect(try await cluster.other.awakenedImages().isEmpty)
        }
    }
}
