import CallStacks
import EmbeddedDatabase
import Foundation
import GRDB
import Ingest
import JournalSupport
import Problems
import SymbolIntake
import Testing

@Suite("Opening a database")
struct OpeningTests {
    private func problem(_ folder: DataFolder) -> JournalError? {
        do {
            _ = try folder.open()
            return nil
        } catch let error as JournalError {
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("a folder is locked by one process")
    func lock() async throws {
        let folder = try DataFolder()
        let database = try folder.open()
        #expect(
            problem(folder)?.description
                == "database: '\(folder.path)' is in use by another process: "
                + "stop it, or use another folder")
        try await database.close()
        #expect(problem(folder) == nil)
    }

    @Test("a missing folder is created")
    func newFolder() async throws {
        let folder = try DataFolder()
        let database = try EmbeddedDatabase(folder: "\(folder.path)/a/b")
        #expect(try await database.append([draft(1)]) == [1])
        try await database.close()
    }

    @Test("a folder that cannot be created is an error")
    func impossibleFolder() throws {
        let folder = try DataFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file))
        #expect(throws: JournalError.self) { try EmbeddedDatabase(folder: folder.file) }
    }

    @Test("another program's database is left unchanged")
    func foreignFile() async throws {
        let folder = try DataFolder()
        try await DatabaseQueue(path: folder.file).write { db in
            try db.execute(sql: "CREATE TABLE mail (text TEXT)")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file))
        #expect(problem(folder)?.description.hasSuffix("program: use another folder") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file)) == before)
    }

    @Test("a damaged file is reported", arguments: [0, 100, 8_192])
    func damage(from offset: Int) async throws {
        let folder = try DataFolder()
        let database = try folder.open()
        _ = try await database.append([draft(1, size: 50_000)])
        try await database.close()
        let file = URL(fileURLWithPath: folder.file)
        var bytes = try Data(contentsOf: file)
        for index in offset..<min(offset + 8_192, bytes.count) { bytes[index] = 0x5a }
        try bytes.write(to: file)
        #expect(problem(folder)?.reason == .damaged)
    }

    @Test("a file of a later version is refused")
    func laterVersion() async throws {
        let folder = try DataFolder()
        try await folder.open().close()
        try await DatabaseQueue(path: folder.file).write { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('2: something new')")
        }
        #expect(
            problem(folder)?.description
                == "database: file in '\(folder.path)' was written by a later version: "
                + "install that one again")
    }

    @Test("an awakening interrupted by a kill continues after any step", arguments: 0...2)
    func interruptedAwakening(stepCount: Int) async throws {
        let folder = try DataFolder()
        var database = try folder.open()
        _ = try await database.append([draft(1)])
        let rows = (1...180).map { diagnostic(1, $0, wanting: [wanted(1)]) }
        try await database.commit(WorkerCommit(lastNumber: 1, diagnostics: rows))
        _ = try await database.add(debugFile(of: image(1)))
        let terms = ResendTerms(oldest: .at(0), due: .at(1))
        var markedCount = 0
        for _ in 0..<stepCount {
            markedCount += try await database.stepAwakening(of: image(1), terms).markedCount
        }
        try await database.close()
        database = try folder.open()
        #expect(try await database.lastSymbolChange() == 1)
        #expect(try await database.awakenedImages() == (stepCount < 2 ? [image(1)] : []))
        markedCount += try await database.markAll(waitingFor: image(1), terms)
        #expect(markedCount == 180)
        #expect(try await database.missingImages(MissingQuery()).isEmpty)
        #expect(try await database.enqueueDue(count: 1_000, now: .at(1)).count == 180)
        try await database.close()
    }

    @Test("removed data leaves the file")
    func shrinking() async throws {
        let folder = try DataFolder()
        let database = try folder.open()
        for number in 1...40 { _ = try await database.append([draft(number, size: 1 << 20)]) }
        try await database.advance(JournalReaders.worker, to: 40)
        #expect(try await database.removePassed(count: 100) == 40)
        for _ in 0..<4 { _ = try await database.removePassed(count: 1) }
        try await database.close()
        // 16 MiB of free pages are kept for later writes.
        #expect(try folder.byteCount() < 18 << 20)
    }

    @Test("the log is emptied when the database is closed")
    func emptyLog() async throws {
        let folder = try DataFolder()
        let database = try folder.open()
        _ = try await database.append([draft(1, size: 1 << 20)])
        try await database.close()
        let log = try? FileManager.default.attributesOfItem(atPath: folder.file + "-wal")
        #expect(log?[.size] as? Int ?? 0 == 0)
    }
}
