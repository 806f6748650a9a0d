import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import JournalSupport
import Problems
import Testing

@Suite("Journal")
struct JournalTests {
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
}
