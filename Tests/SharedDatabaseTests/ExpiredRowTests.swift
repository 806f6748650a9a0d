import CallStacks
import Ingest
import JournalSupport
import MetricKitSignals
import PostgreSQL
import SymbolIntake
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Removal of expired rows", .serialized, .ownThreads)
struct ExpiredRowTests {
    private func number(_ cluster: TestCluster, _ text: String) async throws -> Int64? {
        try await cluster.run(text).first?.optional(0, .int8)
    }

    @Test("keys of payloads go after two days, and the figures of the oldest days beyond a limit")
    func payloads() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let lane = try await node.journal()
            let payloads = (1...4).map { day in
                ProcessedPayload(
                    key: draft(day).key,
                    figures: [
                        PayloadFigures(
                            app: "a", version: "1", day: day, spansSeveralVersions: false,
                            figures: [
                                .timeToFirstDraw: PayloadFigures.Figure(
                                    total: 6, weight: 3, sampleCount: 3)
                            ], digest: draft(10 + day).key.bytes)
                    ])
            }
            let requests = (1...2).map { number in
                var request = draft(number)
                request.isRepeatable = true
                return request
            }
            _ = try await lane.append(requests)
            try await lane.commit(WorkerCommit(lastNumber: 2, payloads: payloads))
            for (table, time) in [("seen_payload", "seen"), ("claimed_key", "claimed")] {
                try await cluster.run(
                    """
                    UPDATE \(table) SET \(time) = \(time) - interval '49 hours' WHERE key = $1
                    """, [.value(draft(1).key.bytes, .bytea)])
            }
            let removal = ExpiredRowRemoval(pool: node.database.pool)
            try await removal.runIfDue()
            #expect(try await lane.append(requests) == [3, nil])
            #expect(try await node.database.figures(FigureQuery()).map(\.payloadCount) == [4])
            try await removal.removeFigures(keeping: 3)
            let rest = try await node.database.figures(FigureQuery())
            #expect(rest.map(\.firstDay) == [2])
            #expect(rest.first?.averages[.timeToFirstDraw]?.payloadCount == 3)
            #expect(try await number(cluster, "SELECT count(*) FROM version_figure") == 3)
        }
    }

    @Test("expired rows are removed once an hour, whichever node asks")
    func hourly() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let removal = ExpiredRowRemoval(pool: node.database.pool)
            let done = "SELECT count(*) FROM task WHERE name = 'sweep' AND done IS NOT NULL"
            for _ in 0..<2 { try await removal.runIfDue() }
            #expect(try await number(cluster, done) == 0)
            try await cluster.run("UPDATE task SET until = now() - interval '1 second'")
            try await removal.runIfDue()
            #expect(try await number(cluster, done) == 1)
        }
    }

    @Test("an image that is removed because none waits for it is stored again when one does")
    func images() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                let lane = try await first.journal()
                func commit(_ count: Int, wanting numbers: [UInt8]) async throws {
                    let entries = try await lane.appendAll((1...count).map { draft($0) })
                    let rows = entries.map {
                        diagnostic($0, wanting: numbers.map { wanted($0) }, at: 5)
                    }
                    try await lane.commit(
                        WorkerCommit(
                            lastNumber: entries.last ?? 0, diagnostics: rows,
                            symbolsSeen: try await first.database.lastSymbolChange()))
                }
                func waiting() async throws -> [String] {
                    try await second.database.missingImages(MissingQuery()).map {
                        "\($0.name ?? "-") \($0.waitingCount)"
                    }
                }
                let terms = ResendTerms(oldest: .at(0), due: .at(6))
                func arrive() async throws -> Int {
                    _ = try await first.database.recordChange(of: debugFile(of: image(1)))
                    return try await lane.stepAwakening(of: image(1), terms).markedCount
                }
                try await commit(2, wanting: [1, 2])
                #expect(try await arrive() == 2)
                try await ExpiredRowRemoval(pool: second.database.pool).removeUnwantedImages()
                #expect(try await number(cluster, "SELECT count(*) FROM missing_image") == 1)
                #expect(try await number(cluster, "SELECT count(*) FROM missing_tally") == 1)
                #expect(try await waiting() == ["Image2 2"])
                // The first node still has the number of the removed row.
                try await commit(3, wanting: [1])
                #expect(try await waiting() == ["Image1 3", "Image2 2"])
                #expect(try await arrive() == 3)
            }
        }
    }

    @Test("a group whose diagnostics moved to another one is removed, and made again for the next")
    func groups() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let lane = try await node.journal()
            func rows(_ entries: [Int64], _ fingerprint: String) -> [DiagnosticRecord] {
                entries.map { entry in
                    var row = diagnostic(entry, at: 5)
                    row.fingerprint = fingerprint
                    return row
                }
            }
            func counts() async throws -> [String] {
                try await node.database.groups(GroupQuery()).map {
                    "\($0.fingerprint) \($0.diagnosticCount)"
                }.sorted()
            }
            let removal = ExpiredRowRemoval(pool: node.database.pool)
            _ = try await lane.append((1...3).map { draft($0) })
            try await lane.commit(WorkerCommit(lastNumber: 2, diagnostics: rows([1, 2], "a")))
            try await removal.removeEmptyGroups()
            #expect(try await counts() == ["a 2"])
            try await lane.commit(WorkerCommit(lastNumber: 2, revised: rows([1, 2], "b")))
            #expect(try await counts() == ["b 2"])
            try await removal.removeEmptyGroups()
            #expect(try await number(cluster, "SELECT count(*) FROM diagnostic_group") == 1)
            // Those of versions 1.1 and 1.2.
            #expect(try await number(cluster, "SELECT count(*) FROM group_tally") == 2)
            try await lane.commit(WorkerCommit(lastNumber: 3, diagnostics: rows([3], "a")))
            #expect(try await counts() == ["a 1", "b 2"])
        }
    }
}
