import CallStacks
import Foundation
import GRDB
import Ingest
import JournalSupport
import TestSupport
import Testing

@testable import EmbeddedDatabase

@Suite("Concurrent writes")
struct GroupWriterTests {
    private struct Refusal: Error {}

    @Test("a write that fails leaves no trace, and its neighbours are kept")
    func failures() async throws {
        try await withDatabase { database in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...200 {
                    group.addTask {
                        let fails = number.isMultiple(of: 7)
                        do {
                            try await insert(number, into: database, failing: fails)
                            #expect(!fails)
                        } catch {
                            #expect(fails)
                        }
                    }
                }
            }
            let kept = try await database.read { db in
                try Int.fetchAll(db, sql: "SELECT number FROM unreferenced ORDER BY number")
            }
            #expect(kept == (1...200).filter { !$0.isMultiple(of: 7) })
        }
    }

    @Test("commits do not wait for a sync, the file can shrink, and removing writes no zeros")
    func settings() async throws {
        try await withDatabase { database in
            let settings = try await database.writer.write { db in
                try [
                    "synchronous", "auto_vacuum", "page_size", "foreign_keys", "secure_delete",
                ].map { name in try Int.fetchOne(db, sql: "PRAGMA \(name)") }
            }
            // NORMAL, INCREMENTAL, and FAST at the end.
            #expect(settings == [1, 2, 8_192, 1, 2])
        }
    }

    @Test("a large log is emptied, a smaller one is not")
    func largeLog() async throws {
        let folder = try DataFolder()
        let pool = try DatabasePool(path: folder.file)
        let log = try WriteAheadLog(database: folder.file, largeBytes: 100_000)
        var sizes: [Int] = []
        for size in [20_000, 200_000] {
            try await pool.write { db in
                try db.execute(
                    sql: "CREATE TABLE t\(size) AS SELECT randomblob(\(size)) AS bytes")
            }
            try await pool.writeWithoutTransaction { db in log.tidy(db) }
            let status = try FileManager.default.attributesOfItem(atPath: folder.file + "-wal")
            sizes.append(status[.size] as? Int ?? -1)
        }
        #expect(sizes[0] > 20_000)
        #expect(sizes[1] == 0)
        try pool.close()
    }

    private func insert(
        _ number: Int, into database: EmbeddedDatabase, failing: Bool
    ) async throws {
        try await database.writer.write { db -> Void in
            try db.run("INSERT INTO unreferenced (number) VALUES (?)", [number])
            if failing { throw Refusal() }
        }
    }

    @Test(
        "many concurrent tasks store what each of them was promised", arguments: UInt64(0)..<4)
    func concurrency(seed: UInt64) async throws {
        try await withDatabase { database in
            _ = try await database.cursor(of: "file")
            let acknowledged = try await withThrowingTaskGroup(of: [Int64: EntryKey].self) {
                group in
                for task in 0..<24 {
                    group.addTask {
                        try await work(on: database, seed: seed << 8 | UInt64(task))
                    }
                }
                return try await group.reduce(into: [:]) { acknowledged, more in
                    acknowledged.merge(more) { first, _ in
                        Issue.record("a number was given twice")
                        return first
                    }
                }
            }
            try #require(!acknowledged.isEmpty)
            #expect(acknowledged.keys.sorted() == Array(1...Int64(acknowledged.count)))
            let cursor = try await database.cursor(of: JournalReaders.worker)
            let slowest = min(cursor, try await database.cursor(of: "file"))
            try #require(slowest < Int64(acknowledged.count))
            let entries = try await database.entries(after: slowest, count: 9_999, bytes: .max)
            #expect(entries.map(\.number) == Array((slowest + 1)...Int64(acknowledged.count)))
            for entry in entries { #expect(entry.draft.key == acknowledged[entry.number]) }
            let backlog = try await database.backlog()
            #expect(backlog.count == entries.count)
            // Bodies of random bytes are stored uncompressed.
            #expect(backlog.bytes == entries.reduce(0) { $0 + Int64($1.draft.body.count) })
        }
    }

    /// Appends, and now and then moves readers, commits and removes.
    private func work(
        on database: EmbeddedDatabase, seed: UInt64
    ) async throws -> [Int64: EntryKey] {
        var numbers = SplitMix64(seed: seed)
        var acknowledged: [Int64: EntryKey] = [:]
        for step in 0..<20 {
            let drafts = (0..<Int.random(in: 1...3, using: &numbers)).map { part in
                draft(Int(seed) << 16 | step << 8 | part, size: Int(seed % 20) * 30)
            }
            let appended = try await database.appendAll(drafts)
            let first = try #require(appended.first)
            #expect(appended == Array(first..<(first + Int64(appended.count))))
            for (number, draft) in zip(appended, drafts) { acknowledged[number] = draft.key }
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: try await database.advance("file", to: first / 2)
            case 1: _ = try await database.removePassed(count: 5)
            case 2:
                try await database.commit(
                    WorkerCommit(
                        lastNumber: first / 2, diagnostics: [diagnostic(first)]))
            default: break
            }
        }
        return acknowledged
    }
}
