import Dispatch
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import EmbeddedDatabase

@Suite("Syncs of the write-ahead log")
struct LogSyncTests {
    private struct DiskFailure: Error {}

    /// What happened, in order.
    private final class Events: Sendable {
        private let events = Mutex<[String]>([])

        var all: [String] { events.withLock { $0 } }

        func add(_ event: String) { events.withLock { $0.append(event) } }

        func commit(_ name: String) -> LogSync.Commit {
            LogSync.Commit(
                complete: { self.add("\(name) completed") },
                fail: { _ in self.add("\(name) failed") })
        }
    }

    /// A sync that lasts until ``end()`` is called.
    private final class SlowSync: Sendable {
        private let (begins, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        func run() {
            begins.signal()
            ends.wait()
        }

        func waitForBegin() { begins.wait() }

        func end() { ends.signal() }
    }

    @Test("commits during a sync wait for the next one, which serves all of them")
    func sharedSync() async {
        let (events, slow) = (Events(), SlowSync())
        let sync = LogSync(
            sync: {
                events.add("sync")
                slow.run()
            }, replacingLog: { Issue.record("nothing has failed") })
        addCommitsDuringSync(of: sync, slow, events)
        await sync.drain()
        #expect(events.all == ["sync", "a completed", "sync", "b completed", "c completed"])
    }

    /// Not asynchronous, because it blocks.
    private func addCommitsDuringSync(of sync: LogSync, _ slow: SlowSync, _ events: Events) {
        sync.add(events.commit("a"))
        slow.waitForBegin()
        sync.add(events.commit("b"))
        sync.add(events.commit("c"))
        slow.end()
        slow.end()
    }

    @Test("after a failed sync, nothing is on disk until the log is replaced")
    func failure() async {
        let events = Events()
        let failures = Mutex(2)
        let fail = { @Sendable (event: String) in
            events.add(event)
            let isFailing = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if isFailing { throw DiskFailure() }
        }
        let sync = LogSync(sync: { try fail("sync") }, replacingLog: { try fail("replace") })
        for name in ["a", "b", "c", "d"] {
            sync.add(events.commit(name))
            await sync.drain()
        }
        #expect(
            events.all == [
                "sync", "a failed", "replace", "b failed", "replace", "c completed", "sync",
                "d completed",
            ])
    }

    @Test("a write returns once it is on disk, and the next transaction does not wait for that")
    func writer() async throws {
        let folder = try DataFolder()
        let pool = try DatabasePool(path: folder.file)
        try await pool.write { db in try db.execute(sql: "CREATE TABLE t (number INTEGER)") }
        let (events, slow) = (Events(), SlowSync())
        let writer = try GroupWriter(
            pool: pool, folder: folder.path,
            space: DatabaseSpace(folder: folder.path, leastFreeBytes: 0),
            sync: LogSync(sync: slow.run, replacingLog: {}), beforeCommit: { _ in {} })
        let writes = (1...2).map { number in
            Task {
                try await writer.write { db in try db.run("INSERT INTO t VALUES (?)", [number]) }
                events.add("returned")
            }
        }
        let areCommitted = try await eventually {
            try await pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM t") } == 2
        }
        #expect(areCommitted)
        #expect(events.all.isEmpty)
        slow.end()
        slow.end()
        for write in writes { try await write.value }
        #expect(events.all.count == 2)
        _ = await writer.close()
        try pool.close()
    }

    @Test("a write whose sync fails is refused, and later ones start a new log")
    func newLog() async throws {
        let folder = try DataFolder()
        let pool = try DatabasePool(path: folder.file)
        try await pool.write { db in try db.execute(sql: "CREATE TABLE t (bytes BLOB)") }
        let copies = try Checkpoints(database: folder.file, threshold: 1_000)
        let isFailing = Atomic(true)
        let sync = LogSync(
            sync: {
                if isFailing.exchange(false, ordering: .relaxed) { throw DiskFailure() }
            }, replacingLog: copies.replaceLog)
        let writer = try GroupWriter(
            pool: pool, folder: folder.path,
            space: DatabaseSpace(folder: folder.path, leastFreeBytes: 0), sync: sync,
            beforeCommit: { _ in {} })
        let write = { () async throws(DatabaseProblem) in
            try await writer.write { db in try db.run("INSERT INTO t VALUES (randomblob(9000))") }
        }
        let first = try restartCount(ofLogOf: folder)
        await #expect(throws: DatabaseProblem.self) { try await write() }
        try await write()
        #expect(try restartCount(ofLogOf: folder) == first)
        try await write()
        #expect(try restartCount(ofLogOf: folder) == first + 1)
        _ = await writer.close()
        try copies.close()
        try pool.close()
    }

    /// Returns the number of times that SQLite restarted the log, from the log's header
    /// (<https://www.sqlite.org/fileformat2.html#walformat>).
    private func restartCount(ofLogOf folder: DataFolder) throws -> UInt32 {
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.file + "-wal"))
        return log[12..<16].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
