import CallStacks
import Ingest
import JournalSupport
import MetricKitSignals
import PostgreSQL
import SymbolIntake
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Commits of several nodes", .serialized, .ownThreads)
struct CommitTests {
    private func withTwoNodes(
        _ body: (TestCluster, LaneJournal, LaneJournal) async throws -> Void
    ) async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                try await body(cluster, first.journal(), second.journal())
            }
        }
    }

    /// Appends entries to a lane, and returns a diagnostic of each.
    private func diagnostics(
        _ count: Int, in lane: LaneJournal, wanting images: [WantedImage] = []
    ) async throws -> [DiagnosticRecord] {
        let numbers = try await lane.appendAll((1...count).map { draft($0) })
        return numbers.map { diagnostic($0, wanting: images, at: 5) }
    }

    private func number(_ cluster: TestCluster, _ text: String) async throws -> Int64? {
        try await cluster.run(text).first?.optional(0, .int8)
    }

    @Test("a node whose lane was claimed commits nothing")
    func fencing() async throws {
        try await withTwoNodes { cluster, first, second in
            var rows = try await diagnostics(2, in: first, wanting: [wanted(1)])
            rows[0].state = .held
            rows[0].heldUntil = .at(1)
            try await cluster.expireLeases()
            let node = TestNode(in: second.database)
            let claim = try await node.lanes.claim()
            try #require(claim.lane == first.lane)
            let adopted = LaneJournal(of: claim, in: second.database)
            let commit = WorkerCommit(lastNumber: rows[1].address.entry, diagnostics: rows)
            let error = await #expect(throws: JournalError.self) { try await first.commit(commit) }
            #expect(error?.reason == .closed)
            #expect(try await second.diagnostics(DiagnosticQuery()).isEmpty)
            #expect(try await adopted.cursor(of: JournalReaders.worker) == 0)
            try await adopted.commit(commit)
            #expect(try await first.diagnostics(DiagnosticQuery()).count == 2)
            let late = NextRevision(after: rows[0].sentRevision, content: nil)
            await #expect(throws: JournalError.self) {
                try await first.advance([late], symbolsSeen: 0)
            }
            await #expect(throws: JournalError.self) {
                try await first.enqueueDue(count: 1, now: .at(1))
            }
            // The transaction that failed may still be rolled back, and until then its rows are
            // skipped.
            let isEnqueued = try await eventually {
                try await adopted.enqueueDue(count: 1, now: .at(1)).count == 1
            }
            #expect(isEnqueued)
        }
    }

    @Test("what two nodes commit at once is counted once for all")
    func together() async throws {
        try await withTwoNodes { cluster, first, second in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in [first, second] {
                    group.addTask {
                        for _ in 0..<10 {
                            let rows = try await diagnostics(
                                5, in: lane, wanting: (1...4).map { wanted($0) })
                            try await lane.commit(
                                WorkerCommit(
                                    lastNumber: rows.last?.address.entry ?? 0, diagnostics: rows))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await first.diagnostics(DiagnosticQuery()).count == 100)
            let missing = try await second.missingImages(MissingQuery())
            #expect(missing.map(\.waitingCount) == [100, 100, 100, 100])
            #expect(missing.map(\.frameCount) == [0, 0, 0, 0])
            let counted = "SELECT sum(diagnostics)::int8 FROM "
            #expect(try await number(cluster, counted + "group_tally") == 100)
            #expect(try await number(cluster, counted + "hour_tally") == 100)
            #expect(try await number(cluster, "SELECT count(*) FROM diagnostic_group") == 3)
        }
    }

    @Test("counts are those of the stored diagnostics after revisions")
    func tallies() async throws {
        try await withTwoNodes { cluster, first, second in
            var rows = try await diagnostics(6, in: first)
            try await first.commit(WorkerCommit(lastNumber: 6, diagnostics: rows))
            for index in rows.indices {
                rows[index].revision = 2
                rows[index].version = "2"
                rows[index].fingerprint = "f"
                rows[index].status = .partial
                rows[index].symbolicatedFrameCount = 7
            }
            try await first.commit(WorkerCommit(lastNumber: 6, revised: rows))
            let tallies = try await cluster.run(
                """
                SELECT version, sum(diagnostics)::int8, sum(frames)::int8, sum(symbolicated)::int8
                FROM group_tally GROUP BY version HAVING sum(diagnostics) <> 0
                """)
            #expect(try tallies.map { try $0.value(0, .text) } == ["2"])
            #expect(try tallies.map { try $0.value(1, .int8) } == [6])
            #expect(try tallies.map { try $0.value(2, .int8) } == [72])
            #expect(try tallies.map { try $0.value(3, .int8) } == [42])
            let hours = try await cluster.run(
                """
                SELECT status, sum(diagnostics)::int8 FROM hour_tally GROUP BY status
                HAVING sum(diagnostics) <> 0
                """)
            #expect(try hours.map { try $0.value(0, .text) } == ["partial"])
            #expect(try await second.count(DiagnosticQuery()) == 6)
        }
    }

    @Test("one revision of a diagnostic is under way at a time, whichever node takes it")
    func resends() async throws {
        try await withTwoNodes { cluster, first, second in
            let rows = try await diagnostics(40, in: first, wanting: [wanted(1)])
            try await first.commit(WorkerCommit(lastNumber: 40, diagnostics: rows))
            let file = debugFile(of: image(1))
            _ = try await second.database.add(file)
            let terms = ResendTerms(oldest: .at(0), due: .at(6))
            #expect(try await second.stepAwakening(of: image(1), terms).markedCount == 40)
            let taken = try await withThrowingTaskGroup(of: [JournalEntry].self) { group in
                for lane in [first, second, first, second] {
                    group.addTask { try await lane.enqueueDue(count: 20, now: .at(9)) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(taken.map(\.draft.body)).count == taken.count)
            let rest = try await first.enqueueDue(count: 99, now: .at(9))
            #expect(taken.count + rest.count == 40)

            // Marked again while a revision is under way: one more after it was processed.
            var again = rows
            for index in again.indices { again[index].revision = 2 }
            try await first.commit(WorkerCommit(lastNumber: 40, revised: again))
            _ = try await first.database.recordChange(of: file)
            #expect(try await first.stepAwakening(of: image(1), terms).markedCount == 40)
            #expect(try await first.enqueueDue(count: 99, now: .at(9)).isEmpty)
            for lane in [first, second] {
                let last = try await lane.entries(after: lane.lane.start, count: 999, bytes: .max)
                try await lane.commit(WorkerCommit(lastNumber: last.last?.number ?? 0))
            }
            #expect(try await second.enqueueDue(count: 99, now: .at(9)).count == 40)
            let end = try await second.entries(after: second.lane.start, count: 999, bytes: .max)
            try await second.commit(WorkerCommit(lastNumber: end.last?.number ?? 0))
            #expect(try await number(cluster, "SELECT count(*) FROM resend") == 0)
        }
    }

    @Test("a payload that two nodes received counts once")
    func payloads() async throws {
        try await withTwoNodes { cluster, first, second in
            let figures = PayloadFigures(
                app: "a", version: "1", day: 3, spansSeveralVersions: false,
                figures: [
                    .timeToFirstDraw: PayloadFigures.Figure(total: 6, weight: 3, sampleCount: 3)
                ], digest: draft(9).key.bytes)
            let payload = ProcessedPayload(key: draft(1).key, figures: [figures])
            let other = ProcessedPayload(key: draft(2).key, figures: [figures])
            for lane in [first, second] {
                try await lane.commit(
                    WorkerCommit(lastNumber: lane.lane.start, payloads: [payload, payload, other]))
            }
            #expect(try await number(cluster, "SELECT sum(payloads)::int8 FROM version_day") == 1)
            let sums = try await cluster.run("SELECT total, weight, samples FROM version_figure")
            #expect(try sums.map { try $0.value(0, .float8) } == [6])
        }
    }

    @Test("texts that PostgreSQL cannot store or index are shortened, and do not stop the worker")
    func texts() async throws {
        try await withTwoNodes { _, first, _ in
            var rows = try await diagnostics(1, in: first, wanting: [wanted(1)])
            let long = String(repeating: "é", count: 9_000)
            rows[0].uid = "a\0" + long
            rows[0].app = long
            rows[0].version = long + "\0"
            rows[0].build = "\0"
            rows[0].fingerprint = long
            rows[0].exceptionName = "x\0y"
            rows[0].exceptionMessage = long
            rows[0].wanted[0].name = "n\0"
            rows[0].wanted += ["a", "b"].map { end in
                var image = wanted(2, isInApp: false)
                image.system = SystemOrigin(
                    system: SystemBuild(name: long + end, build: long, architecture: "\0"),
                    model: "iPhone15,2\0")
                return image
            }
            try await first.commit(WorkerCommit(lastNumber: 1, diagnostics: rows))
            let stored = try await first.diagnostic(uid: rows[0].uid, app: long)
            #expect(stored?.exceptionName == "x")
            #expect(stored?.exceptionMessage == long)
            #expect(stored?.app == String(repeating: "é", count: 250))
            #expect(stored?.wanted.map(\.name) == ["n", "Image2"])
            var query = DiagnosticQuery()
            query.fingerprint = long
            #expect(try await first.count(query) == 1)
            #expect(try await first.missingImages(MissingQuery(app: long)).count == 2)
        }
    }

    @Test("a day is removed when no reader and no revision needs it, with what is counted for it")
    func retention() async throws {
        try await withTwoNodes { cluster, first, second in
            let rows = try await diagnostics(2, in: first, wanting: [wanted(1)])
            let day: Int64 = 86_400
            var next = rows
            next[1].arrival = .at(day)
            _ = try await first.cursor(of: "slow")
            _ = try await first.append((1...2).map { draft($0) })
            try await first.commit(WorkerCommit(lastNumber: 1, diagnostics: next))
            func remove(before seconds: Int64) async throws -> Int {
                try await second.removeDiagnostics(before: .at(seconds), keeping: 0, count: 9)
            }
            #expect(try await remove(before: day - 1) == 0)
            #expect(try await remove(before: day) == 1)
            #expect(try await remove(before: day) == 0)
            #expect(try await second.diagnostics(DiagnosticQuery()).map(\.uid) == ["2-0"])
            #expect(try await second.missingImages(MissingQuery()).map(\.waitingCount) == [1])
            let groups = try await number(
                cluster, "SELECT sum(diagnostics)::int8 FROM group_tally")
            #expect(groups == 1)
            // The worker has not passed entry 2.
            #expect(try await remove(before: 9 * day) == 0)
            try await first.advance(JournalReaders.worker, to: 2)
            #expect(try await remove(before: 9 * day) == 1)
            #expect(try await second.missingImages(MissingQuery()).isEmpty)
            try await first.commit(WorkerCommit(lastNumber: 2, diagnostics: rows))
            #expect(try await first.count(DiagnosticQuery()) == 2, "the day is made again")
        }
    }

    @Test("a partition is kept while stored diagnostics refer to its entries")
    func keptBucket() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let lane = try await node.journal()
            let rows = try await diagnostics(1, in: lane)
            try await lane.commit(WorkerCommit(lastNumber: 1, diagnostics: rows))
            let partitions = EntryPartitions(of: node.database, limits: PartitionLimits(age: .zero))
            #expect(try await partitions.advance())
            _ = try await node.lanes.renew([lane.claim], finishing: [])
            #expect(try await partitions.removeOldest() == .nothing)
            #expect(try await lane.entry(1) != nil)
            let removed = try await lane.removeDiagnostics(
                before: .at(86_400), keeping: 0, count: 1)
            #expect(removed == 1)
            #expect(try await partitions.removeOldest() == .removed(0))
            #expect(try await lane.entry(1) == nil)
        }
    }

    @Test("lists of waiting diagnostics are read as written, and damaged ones are refused")
    func postingLists() throws {
        var numbers = SplitMix64(seed: 7)
        let addresses =
            (0..<200).map { _ in
                RecordAddress(
                    entry: Int64.random(in: 1...Int64.max, using: &numbers),
                    position: Int.random(in: 0...99, using: &numbers))
            } + [RecordAddress(entry: 1, position: 0), RecordAddress(entry: 1, position: 1)]
        let list = PostingList(addresses)
        let read = try PostingList.addresses(in: list.bytes)
        #expect(read == addresses.sorted(by: <))
        #expect(try PostingList.addresses(in: []).isEmpty)
        for count in [1, 10] {
            let damaged = [UInt8](repeating: 0xff, count: count)
            #expect(throws: JournalError.self) { try PostingList.addresses(in: damaged) }
        }
    }
}
