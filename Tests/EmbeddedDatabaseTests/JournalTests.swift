import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import Problems
import Testing

@Suite("Journal")
struct JournalTests {
    @Test("entries are read as stored, in the order of their numbers")
    func roundTrip() async throws {
        try await withDatabase { database in
            let drafts = [
                draft(1, size: 0), draft(2, signal: .traces, size: 255), draft(3, size: 256),
                draft(4, signal: .metrics, size: 70_000),
                JournalDraft(
                    key: draft(5).key, arrival: .at(-5), signal: .metricKit,
                    body: [UInt8](repeating: 7, count: 100_000)),
            ]
            #expect(try await database.append(Array(drafts[..<2])) == [1, 2])
            #expect(try await database.append(Array(drafts[2...])) == [3, 4, 5])
            let entries = try await database.entries(after: 0, count: 9, bytes: .max)
            #expect(entries.map(\.number) == [1, 2, 3, 4, 5])
            for (entry, draft) in zip(entries, drafts) { #expect(entry.draft.isEqual(to: draft)) }
            #expect(try await database.entry(4)?.draft.isEqual(to: drafts[3]) == true)
            #expect(try await database.entry(6) == nil)
            #expect(try await database.entry(0) == nil)
            #expect(try await database.append([]).isEmpty)
        }
    }

    @Test("a run of entries is limited by count and bytes, but has one if there is one")
    func runs() async throws {
        try await withDatabase { database in
            _ = try await database.append((1...4).map { draft($0, size: 1_000) })
            func numbers(_ after: Int64, _ count: Int, _ bytes: Int) async throws -> [Int64] {
                try await database.entries(after: after, count: count, bytes: bytes).map(\.number)
            }
            #expect(try await numbers(0, 2, .max) == [1, 2])
            #expect(try await numbers(1, 9, 2_000) == [2, 3])
            #expect(try await numbers(1, 9, 2_999) == [2, 3])
            #expect(try await numbers(1, 9, 0) == [2])
            #expect(try await numbers(4, 9, .max).isEmpty)
            #expect(try await numbers(0, 0, .max).isEmpty)
        }
    }

    @Test("entries are read by their numbers, in the order of these, up to a number of bytes")
    func numbered() async throws {
        try await withDatabase { database in
            _ = try await database.append((1...4).map { draft($0, size: 1_000) })
            func numbers(_ numbers: [Int64], _ bytes: Int) async throws -> [Int64] {
                try await database.entries(numbers, bytes: bytes).map(\.number)
            }
            #expect(try await numbers([4, 9, 2], .max) == [4, 2])
            #expect(try await numbers([1, 2, 3], 2_999) == [1, 2])
            #expect(try await numbers([1], 999).isEmpty)
            #expect(try await numbers([], .max).isEmpty)
        }
    }

    @Test("readers start after the last entry, the worker before the first, and never go back")
    func places() async throws {
        try await withDatabase { database in
            _ = try await database.append([draft(1), draft(2), draft(3)])
            #expect(try await database.cursor(of: "file") == 3)
            #expect(try await database.cursor(of: JournalReaders.worker) == 0)
            try await database.advance(JournalReaders.worker, to: 2)
            try await database.advance(JournalReaders.worker, to: 1)
            #expect(try await database.cursor(of: JournalReaders.worker) == 2)
            try await database.advance("file", to: 400)
            #expect(try await database.cursor(of: "file") == 3)
        }
    }

    @Test("the backlog is that of the slowest reader")
    func backlog() async throws {
        try await withDatabase { database in
            #expect(try await database.backlog() == Backlog())
            _ = try await database.cursor(of: "file")
            _ = try await database.append([draft(1, size: 10), draft(2, size: 20)])
            _ = try await database.append([draft(3, size: 30)])
            #expect(
                try await database.backlog()
                    == Backlog(
                        bytes: 60, count: 3, oldest: .at(1), reader: JournalReaders.worker))
            try await database.advance(JournalReaders.worker, to: 3)
            #expect(
                try await database.backlog()
                    == Backlog(bytes: 60, count: 3, oldest: .at(1), reader: "file"))
            try await database.advance("file", to: 2)
            #expect(
                try await database.backlog()
                    == Backlog(bytes: 30, count: 1, oldest: .at(3), reader: "file"))
            try await database.dropReader("file")
            #expect(try await database.backlog() == Backlog())
        }
    }

    @Test("the backlog counts stored bytes, which are fewer for repetitive bodies")
    func packedBacklog() async throws {
        try await withDatabase { database in
            let body = [UInt8](repeating: 1, count: 1_000_000)
            _ = try await database.append([
                JournalDraft(key: draft(1).key, arrival: .at(1), signal: .logs, body: body)
            ])
            #expect(try await database.backlog().bytes < 1_000)
        }
    }

    @Test("an entry is removed when every reader has passed it")
    func removal() async throws {
        try await withDatabase { database in
            _ = try await database.cursor(of: "file")
            _ = try await database.append((1...5).map { draft($0) })
            try await database.advance(JournalReaders.worker, to: 5)
            #expect(try await database.removePassed(count: 10) == 0)
            try await database.advance("file", to: 3)
            #expect(try await database.removePassed(count: 2) == 2)
            #expect(try await database.entry(2) == nil)
            #expect(try await database.entry(3) != nil)
            #expect(try await database.removePassed(count: 10) == 1)
            try await database.dropReader("file")
            #expect(try await database.removePassed(count: 10) == 2)
            #expect(try await database.removePassed(count: 10) == 0)
            // Numbers are not reused, and waiting entries are counted from an empty table.
            #expect(try await database.append([draft(6, size: 60)]) == [6])
            #expect(
                try await database.backlog()
                    == Backlog(
                        bytes: 60, count: 1, oldest: .at(6), reader: JournalReaders.worker))
            #expect(try await database.cursor(of: "late") == 6)
        }
    }

    @Test("an entry stays as long as a diagnostic refers to it")
    func keptForDiagnostics() async throws {
        try await withDatabase { database in
            _ = try await database.append((1...5).map { draft($0) })
            try await database.commit(
                WorkerCommit(
                    lastNumber: 5, diagnostics: [diagnostic(2), diagnostic(2, 1), diagnostic(4)]))
            #expect(try await database.removePassed(count: 10) == 3)
            #expect(try await database.removePassed(count: 10) == 0)
            func remove(before seconds: Int64, count: Int = 10) async throws -> Int {
                try await database.removeDiagnostics(
                    before: .at(seconds), keeping: .max, count: count)
            }
            #expect(try await remove(before: 3, count: 1) == 1)
            #expect(try await database.removePassed(count: 10) == 0)
            #expect(try await remove(before: 3) == 1)
            #expect(try await database.removePassed(count: 10) == 1)
            #expect(try await database.entry(2) == nil)
            #expect(try await database.entry(4) != nil)
        }
    }

    @Test("everything survives closing and opening the file")
    func reopening() async throws {
        let folder = try DataFolder()
        var database = try folder.open()
        _ = try await database.append((1...3).map { draft($0, size: 500) })
        try await database.commit(WorkerCommit(lastNumber: 2, diagnostics: [diagnostic(1)]))
        let backlog = try await database.backlog()
        try await database.close()
        database = try folder.open()
        #expect(try await database.backlog() == backlog)
        #expect(try await database.cursor(of: JournalReaders.worker) == 2)
        #expect(try await database.entry(3)?.draft.isEqual(to: draft(3, size: 500)) == true)
        #expect(try await database.diagnostic(uid: "1-0") == diagnostic(1))
        #expect(try await database.append([draft(4)]) == [4])
        try await database.close()
    }

    @Test("a closed database reports that it is closed")
    func closed() async throws {
        let folder = try DataFolder()
        let database = try folder.open()
        try await database.close()
        try await database.close()
        let closed = JournalError(
            .closed, Problem("journal", detail: "is closed", suggestion: "start the service again"))
        await #expect(throws: closed) { try await database.append([draft(1)]) }
        await #expect(throws: closed) { try await database.entry(1) }
        await #expect(throws: closed) { try await database.backlog() }
        await #expect(throws: closed) { try await database.cursor(of: "file") }
    }

    @Test("an append of a cancelled task is stored once")
    func cancellation() async throws {
        try await withDatabase { database in
            let tasks = (1...50).map { number in
                Task { try await database.append([draft(number)]) }
            }
            for task in tasks { task.cancel() }
            var numbers: [Int64] = []
            for task in tasks { numbers += try await task.value }
            #expect(numbers.sorted() == Array(1...50))
            let entries = try await database.entries(after: 0, count: 100, bytes: .max)
            #expect(Set(entries.map(\.draft.key)) == Set((1...50).map { draft($0).key }))
        }
    }
}

extension JournalDraft {
    func isEqual(to other: Self) -> Bool {
        key == other.key && arrival == other.arrival && signal == other.signal
            && body == other.body
    }
}
