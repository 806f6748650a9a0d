import CallStacks
import Foundation
import Ingest
import JournalSupport
import PostgreSQL
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Archive of entries", .serialized, .ownThreads)
struct ArchiveTests {
    /// Limits at which each call begins a partition.
    private static let small = PartitionLimits(age: .zero, detachment: .seconds(300))
    private static let day: Int64 = 86_400

    /// Runs a test with a node that has a lane.
    private func withLane(
        _ body: (TestCluster, TestNode, LaneJournal, MemoryArchive) async throws -> Void
    ) async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let archive = MemoryArchive()
            try await body(cluster, node, try await node.journal(archive: archive), archive)
        }
    }

    /// Appends entries with a diagnostic each, which the worker has processed.
    private func store(
        _ count: Int, in journal: LaneJournal, at seconds: Int64 = 5,
        _ change: (inout DiagnosticRecord) -> Void = { _ in }
    ) async throws -> [Int64] {
        let numbers = try await journal.appendAll((1...count).map { draft($0) })
        let rows = numbers.map { number in
            var row = diagnostic(number, at: seconds)
            change(&row)
            return row
        }
        try await journal.commit(
            WorkerCommit(lastNumber: numbers.last ?? 0, diagnostics: rows))
        return numbers
    }

    private func count(_ cluster: TestCluster, _ table: String) async throws -> Int64? {
        try await cluster.run("SELECT count(*) FROM \(table)").first?.value(0, .int8)
    }

    @Test("entries with diagnostics are archived after the worker has processed them")
    func order() async throws {
        try await withLane { _, _, journal, _ in
            let numbers = try await journal.appendAll((1...5).map { draft($0) })
            let start = try await journal.archiveCursor()
            #expect(start == LanePosition(number: 0, total: 0))
            #expect(try await journal.archivableEntries(after: start, bytes: .max).end == start)
            let rows = [numbers[0], numbers[2]].map { diagnostic($0, at: 5) }
            try await journal.commit(WorkerCommit(lastNumber: 4, diagnostics: rows))
            let all = try await journal.archivableEntries(after: start, bytes: .max)
            #expect(all.entries.map(\.entry.number) == [1, 3])
            #expect(all.isLast)
            #expect(all.end == LanePosition(number: 4, total: 160))
            let few = try await journal.archivableEntries(after: start, bytes: 1)
            #expect(few.entries.map(\.entry.number) == [1])
            #expect(!few.isLast)
            #expect(few.end == LanePosition(number: 1, total: 40))
        }
    }

    @Test("a step that is repeated adds no second row, and a node without the lane none")
    func repetition() async throws {
        try await withLane { cluster, node, journal, archive in
            _ = try await store(2, in: journal)
            let start = try await journal.archiveCursor()
            let object = try #require(try await archive.archiveAll(of: journal))
            let end = try await journal.archiveCursor()
            #expect(end.number == 2)
            let again = await #expect(throws: JournalError.self) {
                try await journal.archive(object, from: start, to: end)
            }
            #expect(again?.reason == .conflict)
            #expect(try await count(cluster, "archive") == 1)
            let next = try await store(1, in: journal)
            try await cluster.expireLeases()
            let adopted = try await node.journal(archive: archive)
            try #require(adopted.claim.lane == journal.claim.lane)
            await #expect(throws: JournalError.self) { try await archive.archiveAll(of: journal) }
            #expect(try await count(cluster, "archive") == 1)
            #expect(try await archive.archiveAll(of: adopted)?.entries.map(\.number) == next)
        }
    }

    @Test("a lane that was never archived starts at its oldest stored entry")
    func oldLane() async throws {
        try await withLane { _, node, journal, _ in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            _ = try await journal.append([draft(1), draft(2)])
            try await journal.advance(JournalReaders.worker, to: 2)
            #expect(try await partitions.advance())
            _ = try await node.lanes.renew([journal.claim], finishing: [])
            _ = try await journal.append([draft(3)])
            #expect(try await partitions.removeOldest() == .removed(0))
            let cursor = try await journal.archiveCursor()
            #expect(cursor == LanePosition(number: 2, total: 80))
        }
    }

    @Test(
        "a partition goes once its entries are archived, and stays while one is held or sent again")
    func partitions() async throws {
        try await withLane { cluster, node, journal, archive in
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            let numbers = try await store(2, in: journal) { row in
                guard row.address.entry == 2 else { return }
                row.state = .held
                row.heldUntil = .at(9)
            }
            let first = try await journal.entry(1)
            #expect(try await partitions.advance())
            _ = try await node.lanes.renew([journal.claim], finishing: [])
            // Diagnostics refer to its entries.
            #expect(try await partitions.removeOldest() == .nothing)
            try await archive.archiveAll(of: journal)
            // One is held.
            #expect(try await partitions.removeOldest() == .nothing)
            let taken = try await journal.enqueueDue(count: 9, now: .at(10))
            #expect(taken.map(\.address) == ["2:0"])
            // It is being sent.
            #expect(try await partitions.removeOldest() == .nothing)
            try await journal.commit(WorkerCommit(lastNumber: 3))
            try await cluster.run(
                """
                INSERT INTO node (id, name, version, schema, settings, seen)
                VALUES (gen_random_uuid(), 'old', '', 2, '', now())
                """)
            // A node does not know archived entries.
            #expect(try await partitions.removeOldest() == .nothing)
            try await cluster.run("UPDATE node SET seen = now() - interval '1 hour'")
            #expect(try await partitions.removeOldest() == .removed(0))
            let archived = try await journal.entries(numbers, bytes: .max)
            #expect(archived.map(\.number) == numbers)
            #expect(archived.first?.draft.isEqual(to: try #require(first).draft) == true)
            #expect(try await journal.entries([1, 2, 3], bytes: 80).map(\.number) == [1, 2])
            #expect(try await journal.entries([1, 3], bytes: .max).map(\.number) == [1, 3])
            #expect(try await journal.entry(99) == nil)
        }
    }

    @Test("beyond the limit, delivered entries are left out")
    func lag() async throws {
        try await withLane { _, node, journal, archive in
            _ = try await journal.cursor(of: "file")
            _ = try await store(10, in: journal)
            _ = try await journal.archiveCursor()
            #expect(
                try await node.database.archiveLag() == [journal.claim.lane: 400])
            #expect(try await journal.passUnarchived(beyond: 400) == nil)
            // Nothing is delivered.
            #expect(try await journal.passUnarchived(beyond: 100) == nil)
            try await journal.advance("file", to: 6)
            #expect(try await journal.passUnarchived(beyond: 300) == 3)
            #expect(try await journal.passUnarchived(beyond: 0) == 3)
            let object = try await archive.archiveAll(of: journal)
            #expect(object?.entries.map(\.number) == [7, 8, 9, 10])
        }
    }

    @Test("objects go with their day, by age and beyond a number of bytes")
    func retention() async throws {
        try await withLane { cluster, node, journal, archive in
            for day in 1...3 as ClosedRange<Int64> {
                _ = try await store(1, in: journal, at: day * Self.day + 5)
                try await archive.archiveAll(of: journal)
            }
            func remove(before seconds: Int64, keeping bytes: Int64) async throws -> Int {
                try await journal.removeDiagnostics(
                    before: .at(seconds), keeping: bytes, count: 1)
            }
            #expect(try await remove(before: 0, keeping: 300) == 0)
            #expect(try await remove(before: 0, keeping: 299) == 1)
            #expect(archive.names == ["archive/2/2", "archive/3/3"])
            #expect(try await remove(before: 0, keeping: 299) == 0)
            #expect(try await remove(before: 3 * Self.day - 1, keeping: .max) == 0)
            #expect(try await remove(before: 3 * Self.day, keeping: .max) == 1)
            // The newest day stays, however large it is.
            #expect(try await remove(before: 0, keeping: 1) == 0)
            #expect(archive.names == ["archive/3/3"])
            #expect(try await count(cluster, "archive") == 1)
        }
    }

    @Test("marks of diagnostics to be sent again do not keep their day, and go with it")
    func postponed() async throws {
        try await withLane { cluster, _, journal, _ in
            _ = try await store(2, in: journal)
            try await cluster.run(
                """
                INSERT INTO resend (entry, position, day, marked, held)
                VALUES (1, 0, 0, 1, NULL), (2, 0, 0, NULL, 1)
                """)
            func remove() async throws -> Int {
                try await journal.removeDiagnostics(
                    before: .at(Self.day), keeping: .max, count: 9)
            }
            #expect(try await remove() == 0, "a diagnostic is held")
            try await cluster.run("UPDATE resend SET held = NULL, taken = 3 WHERE entry = 2")
            #expect(try await remove() == 0, "a diagnostic is being sent")
            try await cluster.run("UPDATE resend SET marked = 1, taken = NULL WHERE entry = 2")
            #expect(try await remove() == 2)
            #expect(try await count(cluster, "resend") == 0)
            #expect(try await journal.enqueueDue(count: 9, now: .at(10)).isEmpty)
        }
    }

    @Test("while archived entries cannot be read, only ended holds are sent")
    func away() async throws {
        try await withLane { cluster, _, journal, archive in
            _ = try await store(2, in: journal) { row in
                guard row.address.entry == 2 else { return }
                row.state = .held
                row.heldUntil = .at(9)
            }
            try await cluster.run(
                "INSERT INTO resend (entry, position, day, marked) VALUES (1, 0, 0, 1)")
            archive.setAway(true)
            #expect(
                try await journal.enqueueDue(count: 9, now: .at(10)).map(\.address) == ["2:0"])
            archive.setAway(false)
            #expect(
                try await journal.enqueueDue(count: 9, now: .at(10)).map(\.address) == ["1:0"])
            let address = RecordAddress(entry: 1, position: 0)
            try await journal.commit(WorkerCommit(lastNumber: 4, postponed: [address]))
            #expect(try await journal.enqueueDue(count: 9, now: .at(10)).isEmpty)
            let rest = try await cluster.run(
                """
                SELECT count(*) FROM resend WHERE taken IS NULL AND entry = 1
                AND due > extract(epoch FROM now()) * 1000
                """)
            #expect(try rest.first?.value(0, .int8) == 1)
            #expect(try await count(cluster, "resend") == 1)
        }
    }

    @Test("a lane is adopted to be archived, after lanes with entries for exporters")
    func adoption() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let delivered = try await node.journal()
            _ = try await store(1, in: delivered)
            let waiting = try await TestNode(in: node.database).journal()
            _ = try await waiting.append([draft(9)])
            let lanes = [delivered, waiting].map(\.claim.lane)
            for journal in [delivered, waiting] { try await node.lanes.release(journal.claim) }
            let readers = [JournalReaders.worker]
            func adoptable(_ isArchiving: Bool) async throws -> [LaneNumber] {
                try await node.lanes.renew([], finishing: readers, isArchiving: isArchiving)
                    .adoptable
            }
            #expect(try await adoptable(false) == [lanes[1]])
            #expect(try await adoptable(true) == lanes)
            let first = try await node.lanes.adopt(finishing: readers, isArchiving: true)
            #expect(first?.lane == lanes[1])
            let second = try #require(
                try await node.lanes.adopt(finishing: readers, isArchiving: true))
            #expect(second.lane == lanes[0])
            let journal = LaneJournal(of: second, in: node.database)
            #expect(try await !journal.isArchived())
            try await MemoryArchive().archiveAll(of: journal)
            #expect(try await journal.isArchived())
            try await node.lanes.release(second)
            #expect(try await adoptable(true) == [])
        }
    }

    @Test("a lane that was moved from a data folder is archived from its beginning")
    func movedLane() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let own = try await node.journal().claim
            let moved = try #require(
                try await FolderImport.begin(UUID(), of: "/folder", in: node.database))
            let numbers = (1...3).map { moved.start + $0 }
            try await moved.append((1...3).map { draft($0) })
            try await moved.add(
                numbers.prefix(2).map {
                    MovedDiagnostic(record: diagnostic($0, at: 5), marked: nil, revisedBy: nil)
                })
            let readers = [JournalReaders.worker]
            try await moved.finish(
                readers: readers.map {
                    MovedReader(name: $0, cursor: numbers[2], wasConfigured: true)
                })
            let lane = moved.journal.claim.lane
            #expect(try await node.database.archiveLag() == [own.lane: 0, lane: 120])
            let partitions = EntryPartitions(of: node.database, limits: Self.small)
            #expect(try await partitions.advance())
            _ = try await node.lanes.renew([own], finishing: [])
            #expect(try await partitions.removeOldest() == .nothing)
            let claim = try #require(
                try await node.lanes.adopt(finishing: readers, isArchiving: true))
            #expect(claim.lane == lane)
            let journal = LaneJournal(of: claim, in: node.database)
            #expect(try await !journal.isArchived())
            let object = try await MemoryArchive().archiveAll(of: journal)
            #expect(object?.entries.map(\.number) == Array(numbers.prefix(2)))
            #expect(try await journal.isArchived())
            #expect(try await partitions.removeOldest() == .removed(0))
            #expect(try await node.database.archiveLag() == [own.lane: 0, lane: 0])
        }
    }

    @Test("nodes whose settings differ are named")
    func settings() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            func lanes(_ name: String, _ fingerprint: [UInt8]) -> Lanes {
                Lanes(
                    of: node.database,
                    for: ClusterNode(name: name, settingsFingerprint: fingerprint))
            }
            let (first, same, other) = (lanes("a", [1]), lanes("b", [1]), lanes("c", [2]))
            for lanes in [first, same, other] { _ = try await lanes.renew([], finishing: []) }
            #expect(try await first.renew([], finishing: []).differingNodes == ["c"])
            #expect(try await other.renew([], finishing: []).differingNodes == ["a", "b"])
            try await other.leave()
            #expect(try await same.renew([], finishing: []).differingNodes == [])
        }
    }
}

extension JournalEntry {
    /// The address of the diagnostic that a revision sends again.
    fileprivate var address: String {
        switch RevisionReference(draft.body) {
        case .address(let address): address.description
        case .uid(let uid): uid
        }
    }
}
