import Foundation
import GRDB
import TestSupport
import Testing

@testable import EmbeddedDatabase

@Suite("Checkpoints")
struct CheckpointTests {
    @Test("a copy begins at the threshold, and the writer copies the rest")
    func steps() {
        var schedule = CheckpointSchedule(threshold: 160)
        #expect(schedule.committed(size: 159) == nil)
        #expect(schedule.committed(size: 160) == .copy)
        #expect(schedule.committed(size: 400) == nil)
        schedule.ended(.copy, copied: 160)
        // Too much is left for the writer.
        #expect(schedule.committed(size: 401) == .copy)
        schedule.ended(.copy, copied: 401)
        #expect(schedule.committed(size: 411) == .finish)
        schedule.ended(.finish, copied: 411)
        #expect(schedule.committed(size: 5) == nil)
        #expect(schedule.committed(size: 159) == nil)
        #expect(schedule.committed(size: 160) == .copy)
    }

    @Test("a step that makes no progress is repeated only after more writes")
    func noProgress() {
        var schedule = CheckpointSchedule(threshold: 160)
        #expect(schedule.committed(size: 200) == .copy)
        schedule.ended(.copy, copied: nil)
        #expect(schedule.committed(size: 359) == nil)
        #expect(schedule.committed(size: 360) == .copy)
        schedule.ended(.copy, copied: 360)
        #expect(schedule.committed(size: 365) == .finish)
        // A read keeps the log from restarting.
        schedule.ended(.finish, copied: 365)
        #expect(schedule.committed(size: 374) == nil)
        #expect(schedule.committed(size: 375) == .finish)
    }

    @Test("a copy that ends after the log has restarted changes nothing")
    func lateEnd() {
        var schedule = CheckpointSchedule(threshold: 160)
        #expect(schedule.committed(size: 200) == .copy)
        #expect(schedule.committed(size: 5) == nil)
        schedule.ended(.copy, copied: 200)
        #expect(schedule.committed(size: 159) == nil)
        #expect(schedule.committed(size: 160) == .copy)
    }

    @Test(
        "the log restarts while writes go on, and writes wait for a small rest at most",
        arguments: UInt64(0)..<20)
    func simulation(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var schedule = CheckpointSchedule(threshold: 1_600)
        var (size, copied, restartCount, largest) = (0, 0, 0, 0)
        var copy: (target: Int, end: Int)?
        for turn in 0..<5_000 {
            if size > 0, copied == size {
                (size, copied) = (0, 0)
                restartCount += 1
            }
            size += Int.random(in: 1...40, using: &numbers)
            largest = max(largest, size)
            if let done = copy, done.end <= turn {
                copied = done.target
                schedule.ended(.copy, copied: copied)
                copy = nil
            }
            switch schedule.committed(size: size) {
            case .copy:
                // A copy is four times as fast as the writes.
                copy = (size, turn + (size - copied) / 80 + 1)
            case .finish:
                #expect(size - copied <= 100)
                copied = size
                schedule.ended(.finish, copied: copied)
            case nil: break
            }
        }
        #expect(restartCount > 20)
        #expect(largest < 3_200)
    }

    @Test("commits are copied into the database beside the writer, and nothing is lost")
    func realLog() async throws {
        let folder = try DataFolder()
        let pool = try DatabasePool(path: folder.file)
        try await pool.write { db in try db.execute(sql: "CREATE TABLE t (bytes BLOB)") }
        let checkpoints = try Checkpoints(database: folder.file, threshold: 50)
        try await pool.writeWithoutTransaction { db in checkpoints.observe(db) }
        var (rowCount, restartCount, last) = (0, 0, 0)
        while restartCount < 3 {
            try #require(rowCount < 20_000)
            rowCount += 1
            let size = try await pool.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (randomblob(10000))")
                checkpoints.proceed(db)
                return checkpoints.logSize
            }
            restartCount += size < last ? 1 : 0
            last = size
        }
        try checkpoints.close()
        try pool.close()
        let count = try await DatabaseQueue(path: folder.file).read { db in
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        }
        #expect(count == rowCount)
    }

    @Test("no commit of an observed connection copies the log by itself")
    func noAutomaticCheckpoint() async throws {
        let folder = try DataFolder()
        let pool = try DatabasePool(path: folder.file)
        let checkpoints = try Checkpoints(database: folder.file, threshold: 50)
        try await pool.writeWithoutTransaction { db in
            checkpoints.observe(db)
            try db.execute(sql: "CREATE TABLE t AS SELECT randomblob(20000000) AS bytes")
        }
        // SQLite itself would copy 1,000 pages at the end of the transaction.
        #expect(checkpoints.logSize > 1_000)
        let status = try FileManager.default.attributesOfItem(atPath: folder.file)
        #expect(try #require(status[.size] as? Int) < 1_000_000)
        try checkpoints.close()
        try pool.close()
    }
}
