import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import JournalSupport
import MetricKitSignals
import SharedDatabase
import SymbolIntake
import TestSupport
import Testing

@testable import symbolist

@Suite("Moving an embedded database to a shared one", .serialized, .ownThreads)
struct FolderImportTests {
    private static let worker = JournalReaders.worker

    /// Fills a database with diagnostics in every state, and with entries: some are removed, some
    /// processed and some sent.
    private func filled(_ folder: String) async throws -> EmbeddedDatabase {
        let database = try EmbeddedDatabase(folder: folder)
        for reader in ["fast", "slow"] { _ = try await database.cursor(of: reader) }
        _ = try await database.append((1...10).map { draft($0) })
        var rows = [
            diagnostic(2, wanting: [wanted(1)]), diagnostic(2, 1, wanting: [wanted(2)]),
            diagnostic(5), diagnostic(6, wanting: [wanted(3)], heldUntil: 50),
            diagnostic(7, wanting: [wanted(2)]),
            diagnostic(7, 1, wanting: [wanted(4), wanted(5, isInApp: false)]),
        ]
        rows[2].kind = .hang
        rows[2].sampledStacks = Array("stacks".utf8)
        rows[2].appImages = [image(8)]
        rows[0].revision = 4
        rows[5].wanted[1].system = SystemOrigin(
            system: SystemBuild(name: "iPhone OS 18.1", build: "22B83", architecture: "arm64"),
            model: "iPhone15,2")
        let payload = ProcessedPayload(
            key: draft(99).key,
            figures: [
                PayloadFigures(
                    app: "com.example.shop", version: "1.4.0", day: 20_777,
                    spansSeveralVersions: false,
                    figures: [
                        .timeToFirstDraw: .init(total: 3, weight: 2, sampleCount: 2)
                    ], digest: draft(98).key.bytes)
            ])
        try await database.commit(
            WorkerCommit(lastNumber: 8, diagnostics: rows, payloads: [payload]))
        // One of two diagnostics that are sent again is appended, the other one is due later.
        for (number, due) in [(UInt8(1), Int64(20)), (4, 90)] {
            _ = try await database.wake(
                database, waitingFor: image(number), since: .at(0), due: .at(due))
        }
        #expect(try await database.enqueueDue(count: 9, now: .at(30)).count == 1)
        for (reader, number) in [("fast", Int64(8)), ("slow", 6)] {
            try await database.advance(reader, to: number)
        }
        for (exporter, body) in [("fast", UInt8(1)), ("slow", 2)] {
            try await database.deadLetter(
                DeadLetter(
                    exporter: exporter, signal: .logs, refusal: .at(1), reason: "400",
                    recordCount: 3, body: [body]), advancingTo: 1)
        }
        _ = try await database.removePassed(count: 99)
        #expect(try await database.entryNumbers() == [2, 5, 6, 7, 8, 9, 10, 11])
        return database
    }

    private func move(
        _ source: EmbeddedDatabase, _ id: UUID, to database: SharedDatabase
    ) async throws {
        let target = try #require(
            try await FolderImport.begin(id, of: "/var/lib/symbolist", in: database))
        _ = try await FolderMove(source: source, target: target, progress: MoveProgress()).run()
    }

    @Test("everything is there afterwards, and continues", arguments: [false, true])
    func moves(isRepeated: Bool) async throws {
        let folder = try TestFolder()
        let source = try await filled(folder.path)
        let cluster = try TestCluster()
        let node = TestNode(in: try await cluster.open())
        // The lane of another node, so that the numbers differ.
        let other = try await node.journal()
        let id = UUID()
        if isRepeated { try await moveHalf(source, id, to: node) }
        try await move(source, id, to: node.database)
        #expect(
            try await FolderImport.begin(id, of: "", in: node.database) == nil,
            "it is not moved twice")
        try await expectSame(source, node.database)

        let next = TestNode(in: try await cluster.open())
        let lane = try await next.journal()
        #expect(lane.claim.lane != other.claim.lane)
        for reader in [Self.worker, "fast", "slow"] {
            let (old, new) = (
                try await source.backlog(of: reader), try await lane.backlog(of: reader)
            )
            #expect(new.count == old.count, "\(reader)")
            #expect(new.oldest == old.oldest, "\(reader)")
        }
        try await expectContinued(lane)
        for database in [node.database, next.database] { await database.close() }
        try await source.close()
    }

    /// Moves some of the entries and diagnostics, twice, as a process that is killed.
    private func moveHalf(_ source: EmbeddedDatabase, _ id: UUID, to node: TestNode) async throws {
        let begun = try await FolderImport.begin(id, of: "", in: node.database)
        let target = try #require(begun)
        let numbering = EntryNumbering(of: try await source.entryNumbers(), after: target.start)
        let entries = try await source.entries(after: 0, count: 3, bytes: .max)
        try await target.append(entries.map(numbering.draft))
        for moved in try await source.movedDiagnostics(
            after: RecordAddress(entry: 0, position: 0), count: 3)
        {
            var moved = moved
            moved.record.address = try #require(numbering[moved.record.address])
            moved.revisedBy = moved.revisedBy.flatMap { numbering[$0] }
            try await target.add([moved])
        }
        let letter = try await source.movedLetter(after: 0)
        for _ in 0..<2 { try await target.add(try #require(letter)) }
        // Nothing is adopted or claimed before all is there.
        #expect(try await node.lanes.adopt(finishing: [Self.worker, "fast", "slow"]) == nil)
        let again = try await FolderImport.begin(id, of: "", in: node.database)
        #expect(try #require(again).start == target.start)
        await #expect(throws: JournalError.self, "a process that was replaced changes nothing") {
            try await target.finish(readers: [])
        }
    }

    private func expectSame(
        _ source: EmbeddedDatabase, _ database: SharedDatabase
    ) async throws {
        func shown(_ rows: [DiagnosticRecord]) -> [DiagnosticRecord] {
            rows.map { row in
                var row = row
                row.address = RecordAddress(entry: 0, position: 0)
                return row
            }
        }
        let query = DiagnosticQuery()
        #expect(
            shown(try await database.diagnostics(query))
                == shown(try await source.diagnostics(query)))
        let missing = MissingQuery()
        #expect(
            Set(try await database.missingImages(missing))
                == Set(try await source.missingImages(missing)))
        let groups = try await source.groups(GroupQuery())
        let found = try await database.groups(GroupQuery())
        #expect(found.map(\.fingerprint) == groups.map(\.fingerprint))
        #expect(found.map(\.diagnosticCount) == groups.map(\.diagnosticCount))
        #expect(try await database.groups(using: image(8), app: nil).count == 1)
        #expect(
            try await database.figures(FigureQuery()) == source.figures(FigureQuery()))
        #expect(try await database.deadLetterCounts() == source.deadLetterCounts())
    }

    private func expectContinued(_ lane: LaneJournal) async throws {
        #expect(
            try await lane.appended([draft(99).key, draft(50).key]) == [draft(99).key],
            "processed payloads are known")
        let worker = try await lane.cursor(of: Self.worker)
        let rest = try await lane.entries(after: worker, count: 9, bytes: .max)
        #expect(rest.count == 3)
        #expect(rest.last?.draft.kind == .revision)
        let last = try #require(rest.last)
        let address = try #require(RecordAddress(last.address), "refers to a stored diagnostic")
        #expect(try await lane.diagnostic(at: address)?.uid == "2-0")
        #expect(try await lane.entry(address.entry)?.draft.isEqual(to: draft(2)) == true)
        // The revision is under way, so it is not appended again.
        let due = try await lane.enqueueDue(count: 9, now: .at(60))
        #expect(due.count == 1)
        let next = try #require(due.first)
        let held = try #require(RecordAddress(next.address))
        #expect(try await lane.diagnostic(at: held)?.uid == "6-0")
        try await lane.commit(WorkerCommit(lastNumber: last.number))
        #expect(try await lane.enqueueDue(count: 9, now: .at(95)).count == 1)
    }
}
