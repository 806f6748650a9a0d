import CallStacks
import EmbeddedDatabase
import Foundation
import GRDB
import Ingest
import JournalSupport
import Testing

@Suite("Readers of the journal")
struct ReaderTests {
    private func reconcile(_ exporters: [String], _ database: EmbeddedDatabase) async throws {
        try await database.reconcile(
            ReaderReconciliation(exporters: exporters, stored: try await database.readers()))
    }

    private func letter(_ exporter: String, rejected: Int? = nil) -> DeadLetter {
        DeadLetter(
            exporter: exporter, signal: .logs, refusal: .at(1), reason: "400", recordCount: 5,
            rejectedCount: rejected, body: [1, 2, 3])
    }

    @Test("the backlog of a name that is not configured stays until it is dropped")
    func orphan() async throws {
        try await withDatabase { database in
            try await reconcile(["a", "b"], database)
            _ = try await database.append((1...3).map { draft($0, size: 10) })
            try await database.deadLetter(letter("a"), advancingTo: 1)
            try await reconcile(["c", "d"], database)
            try await database.advance(JournalReaders.worker, to: 3)
            for name in ["c", "d"] { #expect(try await database.cursor(of: name) == 3) }
            let readers = try await database.readers()
            #expect(readers.map(\.name) == ["a", "b", "c", "d"])
            #expect(readers.map(\.backlog.count) == [2, 3, 0, 0])
            #expect(readers.map(\.deadLetterCount) == [1, 0, 0, 0])
            #expect(readers.map(\.wasConfigured) == [false, false, true, true])
            #expect(try await database.removePassed(count: 9) == 0)
            #expect(try await database.backlog().reader == "b")
            try await database.dropReader("b")
            #expect(try await database.removePassed(count: 9) == 1)
            #expect(try await database.backlog().reader == "a")
            try await database.dropReader("a")
            #expect(try await database.backlog() == Backlog())
            #expect(try await database.deadLetterSummaries(after: 0, count: 9).isEmpty)
        }
    }

    @Test("without exporters entries are stored, and the first exporters get them, oldest first")
    func unsent() async throws {
        try await withDatabase { database in
            try await reconcile([], database)
            _ = try await database.append((1...4).map { draft($0, size: 10) })
            try await database.advance(JournalReaders.worker, to: 4)
            #expect(try await database.removePassed(count: 9) == 0)
            // Requests are not refused for it.
            #expect(try await database.backlog() == Backlog())
            try await reconcile([], database)
            #expect(try await database.backlog(of: JournalReaders.unsent).count == 4)
            try await reconcile(["a", "b"], database)
            for name in ["a", "b"] { #expect(try await database.cursor(of: name) == 0) }
            #expect(try await database.readers().map(\.name) == ["a", "b"])
            try await database.advance("a", to: 4)
            #expect(try await database.removePassed(count: 9) == 0)
            try await database.advance("b", to: 4)
            #expect(try await database.removePassed(count: 9) == 4)
        }
    }

    @Test("without exporters the oldest entries beyond the limit are dropped")
    func trimming() async throws {
        try await withDatabase { database in
            try await reconcile([], database)
            _ = try await database.append((1...10).map { draft($0, size: 100) })
            try await database.advance(JournalReaders.worker, to: 10)
            #expect(try await database.trimUnsent(keeping: 1_000) == Backlog())
            let gone = try await database.trimUnsent(keeping: 999)
            #expect(gone == Backlog(bytes: 100, count: 1, reader: JournalReaders.unsent))
            #expect(try await database.trimUnsent(keeping: 450).count == 5)
            #expect(try await database.trimUnsent(keeping: 450).count == 0)
            #expect(try await database.removePassed(count: 99) == 6)
            try await reconcile(["a"], database)
            #expect(try await database.backlog(of: "a").count == 4)
            #expect(try await database.trimUnsent(keeping: 0) == Backlog())
        }
    }

    @Test("an old file keeps its readers and letters")
    func oldFile() async throws {
        let folder = try DataFolder()
        var database = try folder.open()
        _ = try await database.append([draft(1)])
        try await database.close()
        try await DatabaseQueue(path: folder.file).write { db in
            try db.execute(
                sql: """
                    DROP INDEX dead_letter_exporter;
                    ALTER TABLE dead_letter DROP COLUMN rejected;
                    ALTER TABLE dead_letter DROP COLUMN refused_under;
                    ALTER TABLE reader DROP COLUMN configured;
                    INSERT INTO reader VALUES ('http://old:4318/', 0, 0);
                    INSERT INTO dead_letter (
                        exporter, signal, refusal, reason, records, size, form, body)
                    VALUES ('http://old:4318/', 1, 5, '400', 2, 1, 0, x'01');
                    DELETE FROM grdb_migrations WHERE identifier LIKE '6:%'
                    """)
        }
        database = try folder.open()
        let readers = try await database.readers()
        #expect(readers.map(\.name) == ["http://old:4318/"])
        #expect(readers.map(\.backlog.count) == [1])
        #expect(readers.map(\.deadLetterCount) == [1])
        #expect(readers.map(\.wasConfigured) == [true])
        let letters = try await database.resendableDeadLetters(
            of: "http://old:4318/", settingsFingerprint: "x", after: 0, count: 9,
            for: DeadLetterClaimant())
        #expect(letters.map(\.body) == [[1]])
        try await database.close()
    }
}
