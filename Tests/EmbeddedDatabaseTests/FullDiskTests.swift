import CallStacks
import Foundation
import GRDB
import Ingest
import JournalSupport
import Problems
import Testing

@testable import EmbeddedDatabase

@Suite("Full disk")
struct FullDiskTests {
    /// Appends until the disk is full, and returns the number of the last entry.
    private func fill(_ database: EmbeddedDatabase, from number: Int) async throws -> Int {
        for number in number...(number + 10_000) {
            do throws(JournalError) {
                let numbers = try await database.append([draft(number, size: 50_000)])
                #expect(numbers == [Int64(number)])
            } catch {
                #expect(error.reason == .full)
                #expect(error.description.contains("disk is full: free some space in '"))
                return number - 1
            }
        }
        Issue.record("the disk did not become full")
        return 0
    }

    private func expectEntries(_ count: Int, in database: EmbeddedDatabase) async throws {
        for number in 1...count {
            let entry = try await database.entry(Int64(number))
            #expect(entry?.draft.isEqual(to: draft(number, size: 50_000)) == true)
        }
        #expect(try await database.entry(Int64(count) + 1) == nil)
    }

    private func limit(_ database: EmbeddedDatabase, toMorePages pages: Int) async throws {
        try await database.writer.write { db in
            let count = try db.first("PRAGMA page_count")?[0] as Int? ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(count + pages)")
        }
    }

    @Test("a full database refuses appends, loses nothing, and continues when there is space")
    func pageLimit() async throws {
        let folder = try DataFolder()
        var database = try folder.open()
        try await limit(database, toMorePages: 100)
        let kept = try await fill(database, from: 1)
        #expect(kept > 5)
        try await expectEntries(kept, in: database)
        try await limit(database, toMorePages: 100)
        let more = try await fill(database, from: kept + 1)
        #expect(more > kept)
        try await database.close()
        database = try folder.open()
        try await expectEntries(more, in: database)
        try await database.close()
    }

    @Test("a write that does not fit does not fail its neighbours")
    func neighbours() async throws {
        try await withDatabase { database in
            try await limit(database, toMorePages: 100)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...40 {
                    let isLarge = number.isMultiple(of: 10)
                    group.addTask {
                        do throws(JournalError) {
                            let size = isLarge ? 3_000_000 : 300
                            _ = try await database.append([draft(number, size: size)])
                            #expect(!isLarge)
                        } catch {
                            #expect(isLarge)
                            #expect(error.reason == .full)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let entries = try await database.entries(after: 0, count: 100, bytes: .max)
            #expect(entries.map(\.number) == Array(1...36))
        }
    }

    @Test("a full disk refuses appends, damages nothing, and continues when there is space")
    func smallDisk() async throws {
        // Only a privileged process may mount; the page limit shows the same elsewhere.
        guard let disk = try SmallDisk(megabytes: 6) else { return }
        var database = try disk.folder.open()
        try disk.fill(leaving: 2 << 20)
        let kept = try await fill(database, from: 1)
        try await expectEntries(kept, in: database)
        try disk.release()
        #expect(
            try await database.append([draft(kept + 1, size: 50_000)]) == [Int64(kept) + 1])
        try await database.close()
        database = try disk.folder.open()
        try await expectEntries(kept + 1, in: database)
        try await database.close()
    }

    @Test("entries on a full disk can be processed, delivered and removed, which frees space")
    func delivery() async throws {
        guard let disk = try SmallDisk(megabytes: 32) else { return }
        let database = try disk.folder.open()
        _ = try await database.cursor(of: "exporter")
        for round in 0..<3 {
            let last = try await fill(database, from: Int(try await number(database)) + 1)
            let rows = (1...20).map { diagnostic(Int64(last), $0, at: Int64(round)) }
            try await database.commit(
                WorkerCommit(lastNumber: Int64(last), diagnostics: rows))
            try await database.advance("exporter", to: Int64(last))
            while try await database.removePassed(count: 500) > 0 {}
            try await database.checkFreeSpace()
        }
        try await database.close()
    }

    private func number(_ database: EmbeddedDatabase) async throws -> Int64 {
        try await database.read { db in try JournalTable(db).end().number }
    }

    @Test("delivered diagnostics are removed for space, oldest first, and undelivered ones stay")
    func diagnosticsMakeRoom() async throws {
        guard let disk = try SmallDisk(megabytes: 32) else { return }
        let database = try disk.folder.open()
        _ = try await database.cursor(of: "exporter")
        let last = try await fillWithDiagnostics(database)
        try await database.advance("exporter", to: last - 10)
        var round = 0
        while try await remove(100, from: database) > 0 { round += 1 }
        #expect(round > 0)
        try await database.checkFreeSpace()
        let kept = try await database.read { db in
            try Int64.fetchAll(db, sql: "SELECT entry FROM diagnostic ORDER BY entry")
        }
        #expect(kept.suffix(10) == Array((last - 9)...last)[...])
        let first = try #require(kept.first)
        try #require(first <= last)
        #expect(kept == Array(first...last))
        try await database.close()
    }

    /// Fills the disk with processed entries, so that no space is reserved for their rows, and
    /// returns their number.
    private func fillWithDiagnostics(_ database: EmbeddedDatabase) async throws -> Int64 {
        var last: Int64 = 0
        while true {
            let next = Int64(try await fill(database, from: Int(last) + 1))
            guard next > last else { return last }
            let rows = (last + 1...next).map { diagnostic($0) }
            try await database.commit(WorkerCommit(lastNumber: next, diagnostics: rows))
            last = next
        }
    }

    @Test("the check of free space includes the rows of unprocessed entries")
    func spaceForRows() async throws {
        guard let disk = try SmallDisk(megabytes: 32) else { return }
        let database = try disk.folder.open()
        for number in 1...20 { _ = try await database.append([draft(number, size: 50_000)]) }
        try disk.fill(leaving: 4 << 20)
        await #expect(throws: JournalError.self) {
            try await database.append([draft(21, size: 10)])
        }
        await #expect(throws: JournalError.self) { try await database.checkFreeSpace() }
        try await database.advance(JournalReaders.worker, to: 20)
        try await database.checkFreeSpace()
        #expect(try await database.append([draft(21, size: 10)]) == [21])
        try await database.close()
    }

    /// Removes diagnostics only because of the disk limit, and then their entries.
    private func remove(_ count: Int, from database: EmbeddedDatabase) async throws -> Int {
        let removed = try await database.removeDiagnostics(
            before: .at(0), keeping: .max, count: count)
        _ = try await database.removePassed(count: 500)
        return removed
    }

    @Test("a disk filled while the log is short stops no delivery, and appends continue afterwards")
    func otherProgram() async throws {
        guard let disk = try SmallDisk(megabytes: 32) else { return }
        var database = try disk.folder.open()
        _ = try await database.cursor(of: "exporter")
        for number in 1...100 { _ = try await database.append([draft(number, size: 50_000)]) }
        // Copies the log. The reserve would not suffice for a long one.
        try await database.close()
        database = try disk.folder.open()
        try disk.fill()
        await #expect(throws: JournalError.self) {
            try await database.append([draft(101, size: 10)])
        }
        for number in Int64(1)...100 {
            try await database.commit(
                WorkerCommit(lastNumber: number, diagnostics: [diagnostic(number)]))
            try await database.advance("exporter", to: number)
        }
        #expect(
            try await database.removeDiagnostics(before: .at(1_000), keeping: .max, count: 500)
                == 100)
        #expect(try await database.removePassed(count: 500) == 100)
        try disk.release()
        #expect(try await database.append([draft(101, size: 10)]) == [101])
        #expect(FileManager.default.fileExists(atPath: "\(disk.folder.path)/reserve"))
        try await database.close()
    }

    @Test("a database can be opened and deliver on a full disk")
    func opening() async throws {
        guard let disk = try SmallDisk(megabytes: 32) else { return }
        var database = try disk.folder.open()
        for number in 1...20 { _ = try await database.append([draft(number, size: 50_000)]) }
        try await database.close()
        try disk.fill()
        database = try disk.folder.open()
        await #expect(throws: JournalError.self) { try await database.checkFreeSpace() }
        try await database.advance(JournalReaders.worker, to: 20)
        #expect(try await database.removePassed(count: 500) == 20)
        try disk.release()
        try await database.checkFreeSpace()
        try await database.close()
    }

    @Test(
        "the log and the reserve shrink with the disk, and fit into the free space")
    func limits() {
        let large = DatabaseLimits(diskBytes: 1 << 40)
        #expect(large == DatabaseLimits(diskBytes: nil))
        #expect(large.keptLogBytes == 64 << 20)
        #expect(large.pagesPerCheckpoint == 4_096)
        for shift in 20...40 {
            let disk = Int64(1) << shift
            let limits = DatabaseLimits(diskBytes: disk)
            #expect(Int64(2 * limits.largeLogBytes) <= disk / 16)
            #expect(
                limits.pagesPerCheckpoint * DatabaseLimits.pageBytes
                    <= max(limits.keptLogBytes, 8_192))
        }
    }
}
