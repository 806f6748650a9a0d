import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Journal of both databases", .serialized, .ownThreads)
struct JournalTests {
    @Test(
        "entries are read as stored, in the order of their numbers",
        arguments: DatabaseKind.allCases)
    func roundTrip(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            let drafts = [
                draft(1, size: 0), draft(2, kind: .traces, size: 255), draft(3, size: 256),
                draft(4, kind: .metrics, size: 70_000),
                JournalDraft(
                    key: draft(5).key, arrival: .at(-5), kind: .metricKit,
                    body: [UInt8](repeating: 7, count: 100_000)),
            ]
            #expect(try await journal.append(Array(drafts[..<2])) == [1, 2])
            #expect(try await journal.append(Array(drafts[2...])) == [3, 4, 5])
            let entries = try await journal.entries(after: 0, count: 9, bytes: .max)
            #expect(entries.map(\.number) == [1, 2, 3, 4, 5])
            for (entry, draft) in zip(entries, drafts) { #expect(entry.draft.isEqual(to: draft)) }
            #expect(try await journal.entry(4)?.draft.isEqual(to: drafts[3]) == true)
            #expect(try await journal.entry(6) == nil)
            #expect(try await journal.entry(0) == nil)
            #expect(try await journal.append([]).isEmpty)
        }
    }

    @Test(
        "a run of entries is limited by count and bytes, but has one if there is one",
        arguments: DatabaseKind.allCases)
    func runs(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            _ = try await journal.append((1...4).map { draft($0, size: 1_000) })
            func numbers(_ after: Int64, _ count: Int, _ bytes: Int) async throws -> [Int64] {
                try await journal.entries(after: after, count: count, bytes: bytes).map(\.number)
            }
            #expect(try await numbers(0, 2, .max) == [1, 2])
            #expect(try await numbers(1, 9, 2_000) == [2, 3])
            #expect(try await numbers(1, 9, 2_999) == [2, 3])
            #expect(try await numbers(1, 9, 0) == [2])
            #expect(try await numbers(4, 9, .max).isEmpty)
            #expect(try await numbers(0, 0, .max).isEmpty)
        }
    }

    @Test(
        "entries are read by their numbers, in the order of these, up to a number of bytes",
        arguments: DatabaseKind.allCases)
    func numbered(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            _ = try await journal.append((1...4).map { draft($0, size: 1_000) })
            func numbers(_ numbers: [Int64], _ bytes: Int) async throws -> [Int64] {
                try await journal.entries(numbers, bytes: bytes).map(\.number)
            }
            #expect(try await numbers([4, 9, 2], .max) == [4, 2])
            #expect(try await numbers([1, 2, 3], 2_999) == [1, 2])
            #expect(try await numbers([1], 999).isEmpty)
            #expect(try await numbers([], .max).isEmpty)
        }
    }

    @Test(
        "readers start after the last entry, the worker before the first, and never go back",
        arguments: DatabaseKind.allCases)
    func places(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            _ = try await journal.append([draft(1), draft(2), draft(3)])
            #expect(try await journal.cursor(of: "file") == 3)
            #expect(try await journal.cursor(of: JournalReaders.worker) == 0)
            try await journal.advance(JournalReaders.worker, to: 2)
            try await journal.advance(JournalReaders.worker, to: 1)
            #expect(try await journal.cursor(of: JournalReaders.worker) == 2)
            try await journal.advance("file", to: 400)
            #expect(try await journal.cursor(of: "file") == 3)
        }
    }

    @Test("the backlog is that of the slowest reader", arguments: DatabaseKind.allCases)
    func backlog(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            #expect(try await journal.backlog() == Backlog())
            _ = try await journal.cursor(of: "file")
            _ = try await journal.append([draft(1, size: 10), draft(2, size: 20)])
            _ = try await journal.append([draft(3, size: 30)])
            #expect(
                try await journal.backlog()
                    == Backlog(
                        bytes: 60, count: 3, oldest: .at(1), reader: JournalReaders.worker))
            try await journal.advance(JournalReaders.worker, to: 3)
            #expect(
                try await journal.backlog()
                    == Backlog(bytes: 60, count: 3, oldest: .at(1), reader: "file"))
            try await journal.advance("file", to: 2)
            #expect(
                try await journal.backlog()
                    == Backlog(bytes: 30, count: 1, oldest: .at(3), reader: "file"))
            try await journal.dropReader("file")
            #expect(try await journal.backlog() == Backlog())
        }
    }

    @Test(
        "the backlog counts stored bytes, which are fewer for repetitive bodies",
        arguments: DatabaseKind.allCases)
    func packedBacklog(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            let body = [UInt8](repeating: 1, count: 1_000_000)
            _ = try await journal.append([
                JournalDraft(key: draft(1).key, arrival: .at(1), kind: .logs, body: body)
            ])
            #expect(try await journal.backlog().bytes < 1_000)
        }
    }

    @Test("an append of a cancelled task is stored once", arguments: DatabaseKind.allCases)
    func cancellation(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            let tasks = (1...50).map { number in
                Task { try await journal.appendAll([draft(number)]) }
            }
            for task in tasks { task.cancel() }
            var numbers: [Int64] = []
            for task in tasks { numbers += try await task.value }
            #expect(numbers.sorted() == Array(1...50))
            let entries = try await journal.entries(after: 0, count: 100, bytes: .max)
            #expect(Set(entries.map(\.draft.key)) == Set((1...50).map { draft($0).key }))
        }
    }
}
