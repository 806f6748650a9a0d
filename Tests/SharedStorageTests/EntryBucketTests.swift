import CallStacks
import Ingest
import JournalSupport
import Logging
import PostgreSQL
import Problems
import SharedDatabase
import TestSupport
import Testing

@testable import ObjectStorage
@testable import SharedStorage

/// Entries of PostgreSQL in objects of SeaweedFS.
@Suite("Entries in a bucket", .ownThreads, .timeLimit(.minutes(10)))
struct EntryBucketTests {
    /// Limits at which each call begins a partition of entries.
    private static let small = PartitionLimits(age: .zero, detachment: .seconds(300))

    /// A lane whose entries are archived.
    private struct Lane {
        let nodes: TestNodes
        let node: TestNode
        let entries: EntryBucket
        let journal: LaneJournal

        func writer(_ limits: ArchiveLimits = ArchiveLimits(delay: .zero)) -> ArchiveWriter {
            ArchiveWriter(of: journal, in: entries, limits: limits)
        }

        /// Appends entries with a diagnostic each, which the worker has processed.
        func store(_ numbers: ClosedRange<Int>, size: Int = 5_000, day: Int64 = 0) async throws {
            let drafts = numbers.map { draft($0, size: size, app: $0 % 2 == 0 ? "app" : nil) }
            let stored = try await journal.appendAll(drafts)
            try await journal.commit(
                WorkerCommit(
                    lastNumber: stored.last ?? 0,
                    diagnostics: stored.map { diagnostic($0, at: day * 86_400) }))
        }

        /// Removes the entries from the database.
        func removeEntries() async throws {
            let partitions = EntryPartitions(of: node.database, limits: small)
            while true {
                _ = try await partitions.advance()
                _ = try await node.lanes.renew([journal.claim], finishing: [])
                let removal = try await partitions.removeOldest()
                guard case .removed = removal else { break }
                if try await nodes.cluster.run("SELECT 1 FROM entry LIMIT 1").count == 0 { return }
            }
            Issue.record("entries are left in the database")
        }

        func expect(
            _ numbers: ClosedRange<Int64>, size: Int = 5_000,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let found = try await journal.entries(Array(numbers), bytes: .max)
            #expect(found.map(\.number) == Array(numbers), sourceLocation: sourceLocation)
            let isEqual = found.allSatisfy { entry in
                let number = Int(entry.number)
                return entry.draft.isEqual(
                    to: draft(number, size: size, app: number % 2 == 0 ? "app" : nil))
            }
            #expect(isEqual, sourceLocation: sourceLocation)
        }
    }

    private func withLane(
        _ limits: EntryBucket.ReadLimits = EntryBucket.ReadLimits(time: .seconds(60)),
        _ body: (Lane) async throws -> Void
    ) async throws {
        try await TestNodes.run { nodes in
            let entries = EntryBucket(nodes.bucket, logger: Self.logger, limits: limits)
            let node = TestNode(in: nodes.first)
            try await body(
                Lane(
                    nodes: nodes, node: node, entries: entries,
                    journal: try await node.journal(archive: entries)))
        }
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("entries come back unchanged after they were removed from the database")
    func roundTrip() async throws {
        try await withLane { lane in
            // Small bodies are stored without compression.
            try await lane.store(1...3, size: 20)
            try await lane.store(4...40)
            let writer = lane.writer(ArchiveLimits(bytes: 30_000, delay: .zero))
            var count = 0
            while case .archived(let more) = try await writer.step() { count += more }
            #expect(count == 40)
            #expect(try await lane.nodes.objects.count > 5)
            try await lane.removeEntries()
            try await lane.expect(1...3, size: 20)
            try await lane.expect(4...40)
            #expect(try await lane.journal.entry(7)?.number == 7)
        }
    }

    @Test("an object waits to be filled, and goes with the day of its latest diagnostics")
    func closing() async throws {
        try await withLane { lane in
            let limits = ArchiveLimits(bytes: 15_000, delay: .seconds(3_600))
            let writer = lane.writer(limits)
            try await lane.store(1...1)
            #expect(try await writer.step() == .waiting)
            try await lane.store(2...2, day: 1)
            // The next entry is of a later day.
            #expect(try await writer.step() == .archived(1))
            #expect(try await writer.step() == .waiting)
            // An entry of an earlier day does not close it.
            try await lane.store(3...5)
            #expect(try await writer.step() == .archived(3))
            #expect(try await writer.step() == .waiting)
            #expect(try await writer.step(isFlushing: true) == .archived(1))
            #expect(try await writer.step(isFlushing: true) == .waiting)
            let folders = try await lane.nodes.objects.map { $0.prefix(10) }
            #expect(folders == ["archive/0/", "archive/0/", "archive/1/"])
        }
    }

    @Test("a process that is killed between object and row loses nothing, and its object is swept")
    func killBeforeRow() async throws {
        try await withLane { lane in
            try await lane.store(1...3)
            // The row cannot be stored.
            try await lane.nodes.cluster.run("ALTER TABLE archive RENAME TO away")
            let killed = lane.writer()
            await #expect(throws: (any Error).self) { try await killed.step() }
            #expect(try await lane.nodes.objects.count == 1)
            try await lane.nodes.cluster.run("ALTER TABLE away RENAME TO archive")
            #expect(try await lane.writer().step() == .archived(3))
            #expect(try await lane.nodes.objects.count == 2)
            let sweep = ObjectSweep(
                lane.nodes.bucket, database: lane.nodes.second, node: ClusterNode(name: "test"),
                grace: .zero, logger: Self.logger)
            // The server's times have a resolution of a second.
            let isSwept = try await eventually {
                try await sweep.sweep()
                return try await lane.nodes.objects.count == 1
            }
            #expect(isSwept)
            try await lane.removeEntries()
            try await lane.expect(1...3)
        }
    }

    @Test("a row that could not be stored is stored for the same object, or found to be stored")
    func rowLater() async throws {
        try await withLane { lane in
            try await lane.store(1...3)
            let writer = lane.writer()
            try await lane.nodes.cluster.run("ALTER TABLE archive RENAME TO away")
            await #expect(throws: (any Error).self) { try await writer.step() }
            try await lane.nodes.cluster.run("ALTER TABLE away RENAME TO archive")
            #expect(try await writer.step() == .archived(3))
            #expect(try await lane.nodes.objects.count == 1)
            // Another writer has moved the cursor, as a commit did whose response was lost.
            try await lane.store(4...5)
            try await lane.nodes.cluster.run("ALTER TABLE archive RENAME TO away")
            await #expect(throws: (any Error).self) { try await writer.step() }
            try await lane.nodes.cluster.run("ALTER TABLE away RENAME TO archive")
            #expect(try await lane.writer().step() == .archived(2))
            #expect(try await writer.step() == .waiting)
            let rows = try await lane.nodes.cluster.run("SELECT count(*) FROM archive")
            #expect(try rows.first?.value(0, .int8) == 2)
        }
    }

    @Test("the time limit of a read grows with its size")
    func largeReads() async throws {
        try await withLane(.init(time: .zero, slowestRate: 1, wholeObjectCount: 4)) { lane in
            try await lane.store(1...8)
            #expect(try await lane.writer().step() == .archived(8))
            try await lane.removeEntries()
            try await lane.expect(1...2)
            try await lane.expect(1...8)
        }
    }

    @Test("of an object few entries are read by ranges, and many as a whole, which is kept")
    func wholeObjects() async throws {
        try await withLane(.init(time: .seconds(60), wholeObjectCount: 4)) { lane in
            try await lane.store(1...12)
            #expect(try await lane.writer().step() == .archived(12))
            try await lane.removeEntries()
            try await lane.expect(1...3)
            let key = try testKey(try #require(try await lane.nodes.objects.first))
            try await lane.expect(1...4)
            try await lane.nodes.bucket.delete([key])
            // The object is in memory.
            try await lane.expect(5...12)
            let other = EntryBucket(lane.nodes.bucket, logger: Self.logger)
            var options = LaneOptions()
            options.archive = other
            let journal = LaneJournal(
                of: lane.journal.claim, in: lane.nodes.second, options: options)
            #expect(try await journal.entry(1) == nil, "an object that is missing")
            #expect(other.isAvailable)
        }
    }

    @Test("the objects that were read last are kept, and no more than four")
    func recentObjects() throws {
        let objects = RecentObjects()
        let keys = try (0..<6).map { try testKey("archive/0/\($0)") }
        for (number, key) in keys.prefix(4).enumerated() { objects.add([UInt8(number)], of: key) }
        #expect(objects.bytes(of: keys[0]) == [0])
        objects.add([4], of: keys[4])
        objects.add([5], of: keys[5])
        #expect(keys.map { objects.bytes(of: $0) } == [[0], nil, nil, [3], [4], [5]])
    }

    @Test("an entry whose bytes changed in the bucket is missing, and the others are not")
    func wrongBytes() async throws {
        try await withLane { lane in
            try await lane.store(1...20)
            #expect(try await lane.writer().step() == .archived(20))
            try await lane.removeEntries()
            let key = try testKey(try #require(try await lane.nodes.objects.first))
            let size = try #require(try await lane.nodes.bucket.status(of: key)?.byteCount)
            var bytes = try await lane.nodes.bucket.bytes(of: key, in: 0..<size)
            bytes[bytes.count / 2] ^= 1
            try await lane.nodes.bucket.upload(bytes, as: key)
            try await withBucket(
                at: lane.nodes.endpoint, prefix: lane.nodes.prefix, retry: .quick
            ) { bucket in
                var options = LaneOptions()
                options.archive = EntryBucket(
                    bucket, logger: Self.logger, limits: .init(time: .seconds(60)))
                let journal = LaneJournal(
                    of: lane.journal.claim, in: lane.nodes.second, options: options)
                let found = try await journal.entries(Array(1...20), bytes: .max)
                #expect(found.count == 19)
            }
        }
    }

    @Test("of a truncated object the whole entries are read, and other objects are not affected")
    func truncated() async throws {
        try await withLane { lane in
            try await lane.store(1...20)
            #expect(try await lane.writer().step() == .archived(20))
            try await lane.store(21...22)
            #expect(try await lane.writer().step() == .archived(2))
            try await lane.removeEntries()
            let archive = try await lane.nodes.cluster.run(
                "SELECT object, bytes FROM archive ORDER BY last LIMIT 1")
            let row = try #require(archive.first)
            let key = try testKey(try row.value(0, .text))
            let bytes = try await lane.nodes.bucket.bytes(of: key, in: 0..<row.value(1, .int8))
            try await lane.nodes.bucket.upload(Array(bytes.prefix(bytes.count / 2)), as: key)
            // Ranges that end after the object, that start after it, and the whole object.
            for numbers in [[10, 11], [20], Array(1...20)] as [[Int64]] {
                let found = try await lane.journal.entries(numbers, bytes: .max)
                #expect(found.map(\.number) == numbers.filter { $0 <= 10 })
                #expect(lane.entries.isAvailable)
            }
            try await lane.expect(21...22)
        }
    }

    @Test("a refusal is of one object if another one can be read")
    func refusals() async throws {
        try await withLane { lane in
            let bucket = lane.nodes.bucket
            let key = try testKey("archive/0/a")
            func isOfObject(_ reason: ObjectStorageError.Reason, in bucket: Bucket) async -> Bool {
                let failures = ObjectFailures(
                    in: bucket, under: EntryBucket.folder, logger: Self.logger)
                let error = ObjectStorageError(reason, Problem("object", detail: "failed"))
                return await failures.isOfObject(error, key)
            }
            try await bucket.upload([1], as: key)
            #expect(await !isOfObject(.accessDenied, in: bucket))
            try await bucket.upload([1], as: try testKey("archive/0/b"))
            #expect(await isOfObject(.accessDenied, in: bucket))
            #expect(await isOfObject(.refused(status: 400), in: bucket))
            #expect(await isOfObject(.unreadable, in: bucket))
            #expect(await !isOfObject(.unavailable, in: bucket))
            try await withBucket(
                at: "http://127.0.0.1:\(try freePort())", prefix: "x", retry: .once
            ) { bucket in
                #expect(await !isOfObject(.accessDenied, in: bucket))
            }
        }
    }

    @Test("while the bucket is away, archived entries are unavailable and nothing is archived")
    func away() async throws {
        try await withLane { lane in
            try await lane.store(1...2)
            #expect(try await lane.writer().step() == .archived(2))
            try await lane.removeEntries()
            try await lane.store(3...3)
            try await withBucket(
                at: "http://127.0.0.1:\(try freePort())", prefix: "x", retry: .quick
            ) { bucket in
                let away = EntryBucket(bucket, logger: Self.logger)
                var options = LaneOptions()
                options.archive = away
                let journal = LaneJournal(
                    of: lane.journal.claim, in: lane.nodes.second, options: options)
                for _ in 1...2 {
                    let error = await #expect(throws: JournalError.self) {
                        try await journal.entry(1)
                    }
                    #expect(error?.reason == .unavailable)
                    #expect(!away.isAvailable)
                }
                let stored = try await journal.entry(3)
                #expect(stored?.number == 3)
                let writer = ArchiveWriter(
                    of: journal, in: away, limits: ArchiveLimits(delay: .zero))
                await #expect(throws: ObjectStorageError.self) { try await writer.step() }
                #expect(!away.isWritable)
            }
            #expect(try await lane.writer().step() == .archived(1))
        }
    }

    @Test("partitions go beside load and an old snapshot, and no entry of a diagnostic is missing")
    func underLoad() async throws {
        try await withLane { lane in
            let partitions = EntryPartitions(
                of: lane.node.database,
                limits: PartitionLimits(age: .zero, detachment: .milliseconds(200)))
            let last = 200
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for start in stride(from: 1, through: last, by: 10) {
                        try await lane.store(start...start + 9)
                        try await lane.expect(Int64(max(start - 60, 1))...Int64(start))
                    }
                }
                group.addTask {
                    let writer = lane.writer(ArchiveLimits(bytes: 100_000, delay: .zero))
                    while try await lane.journal.archiveCursor().number < last {
                        if try await writer.step() == .waiting {
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    }
                }
                group.addTask { try await holdSnapshots(lane, until: last) }
                group.addTask {
                    var removed = 0
                    while removed < 5 {
                        _ = try await partitions.advance()
                        _ = try await lane.node.lanes.renew([lane.journal.claim], finishing: [])
                        if case .removed = try await partitions.removeOldest() { removed += 1 }
                    }
                }
                try await group.waitForAll()
            }
            try await lane.removeEntries()
            try await lane.expect(1...Int64(last))
        }
    }

    /// Holds old snapshots, one after the other, while entries are archived.
    private func holdSnapshots(_ lane: Lane, until last: Int) async throws {
        while try await lane.journal.archiveCursor().number < last {
            try await lane.nodes.cluster.run("SELECT bucket, pg_sleep(0.3) FROM cluster")
        }
    }
}
