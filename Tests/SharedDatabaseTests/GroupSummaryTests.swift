import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Sums of groups of several nodes", .serialized, .ownThreads)
struct GroupSummaryTests {
    /// Commits diagnostics of two groups, and revisions that move some of them to others.
    private func commitSome(in lane: LaneJournal) async throws {
        var last: [DiagnosticRecord] = []
        for round in 0..<15 {
            let numbers = try await lane.appendAll((1...4).map { draft($0) })
            var rows = numbers.map { diagnostic($0, at: 5 + Int64(round) * 20_000) }
            for index in rows.indices {
                rows[index].fingerprint = "f\(index % 2)"
                rows[index].version = "1.\(round % 3)"
            }
            for index in last.indices where index < 2 {
                last[index].fingerprint = "g\(round % 2)"
                last[index].revision = 2
            }
            try await lane.commit(
                WorkerCommit(
                    lastNumber: numbers.last ?? 0, diagnostics: rows,
                    revised: Array(last.prefix(2))))
            last = rows
        }
    }

    @Test("sums are complete however reads and commits of several nodes interleave")
    func interleaved() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                let lanes = [try await first.journal(), try await second.journal()]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for lane in lanes { group.addTask { try await commitSome(in: lane) } }
                    for node in [first, second] {
                        group.addTask {
                            for _ in 0..<40 { _ = try await node.database.groups(GroupQuery()) }
                        }
                    }
                    try await group.waitForAll()
                }
                let rows = try await lanes[0].diagnostics(DiagnosticQuery(limit: 500))
                #expect(rows.count == 120)
                let groups = try await first.database.groups(GroupQuery())
                #expect(
                    Dictionary(
                        uniqueKeysWithValues: groups.map { ($0.fingerprint, $0.diagnosticCount) })
                        == Dictionary(grouping: rows, by: \.fingerprint).mapValues(\.count))
                for group in groups {
                    let own = rows.filter { $0.fingerprint == group.fingerprint }
                    #expect(group.lastSeen == own.map(\.arrival).max())
                    #expect(group.firstSeen == own.map(\.arrival).min())
                    #expect(
                        group.versions.map(\.diagnosticCount).reduce(0, +) == own.count)
                }
                let outdated = try await cluster.run("SELECT 1 FROM group_change")
                #expect(outdated.count == 0)
            }
        }
    }
}
