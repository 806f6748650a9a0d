import CallStacks
import DebugFiles
import Foundation
import GRDB
import Ingest
import JournalSupport
import SymbolIntake
import Testing

@testable import EmbeddedDatabase

@Suite("Owners in the database")
struct OwnerTests {
    @Test("the app of the sender's token stays with an entry")
    func sender() async throws {
        let folder = try DataFolder()
        var database = try folder.open()
        var sent = draft(1)
        sent.app = "a"
        _ = try await database.append([sent, draft(2)])
        for _ in 0..<2 {
            let entries = try await database.entries(after: 0, count: 9, bytes: .max)
            #expect(entries.map(\.draft.app) == ["a", nil])
            try await database.close()
            database = try folder.open()
        }
        try await database.close()
    }

    @Test("files of an earlier version belong to the apps of their builds, or to everyone")
    func migration() async throws {
        let folder = try DataFolder()
        try await Self.writeEarlierFile(in: folder)
        let database = try folder.open()
        func owners(_ number: UInt8) async throws -> Set<SymbolOwner> {
            Set(try await database.debugFiles(of: image(number)).map(\.owner))
        }
        #expect(try await owners(1) == [.app("a"), .app("b")])
        #expect(try await owners(2) == [.app("a")])
        #expect(try await owners(3) == [.everyone])
        let file = try #require(try await database.debugFiles(of: image(3)).first)
        #expect(file.blob == "b3" && file.lastUse == .at(3) && file.warnings == ["w"])
        let missing = try await database.missingImages(MissingQuery())
        #expect(missing.map(\.image) == [image(9)])
        #expect(missing.map(\.appVersions) == [["1.0 (7)"]])
        let bound = try await database.missingImages(MissingQuery(boundApp: "a"))
        #expect(bound.map(\.waitingCount) == [1])
        #expect(try await database.missingImages(MissingQuery(boundApp: "b")).isEmpty)
        try await database.commit(
            WorkerCommit(lastNumber: 1, diagnostics: [diagnostic(1, 1, wanting: [wanted(8)])]))
        #expect(try await database.diagnostic(uid: "old")?.wanted.map(\.image) == [image(9)])
        #expect(
            try await database.wake(waitingFor: image(9), since: .at(0), due: .at(1)) == 1)
        try await database.close()
        let number = try await DatabaseQueue(path: folder.file).read { db in
            try Int.fetchOne(db, sql: "SELECT id FROM missing_image")
        }
        #expect(number == 3, "the number of a removed image is not reused")
    }

    /// Writes the file of a version without owners: three files, two builds, and a diagnostic that
    /// waits for one image after another has arrived.
    private static func writeEarlierFile(in folder: DataFolder) async throws {
        let queue = try DatabaseQueue(path: folder.file)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
        }
        try Schema.migrator.migrate(queue, upTo: "2: figures of versions")
        try await queue.write { db in
            for number: UInt8 in 1...3 {
                try db.execute(
                    sql: """
                        INSERT INTO debug_file (
                            image, architecture, name, kind, quality, blob, size, stored, upload,
                            last_use, warnings)
                        VALUES (?, 'arm64', 'Image', 'dsym', 4, ?, 9, 9, 1000, ?, '["w"]')
                        """,
                    arguments: [Data(image(number).bytes), "b\(number)", Int64(number) * 1_000])
            }
            for (id, app, images) in [(1, "a", [1, 2]), (2, "b", [1, 7])]
                as [(Int, String, [UInt8])]
            {
                try db.execute(
                    sql: "INSERT INTO build VALUES (?, ?, '1.0', '7', 1, 1)", arguments: [id, app])
                for number in images {
                    try db.execute(
                        sql: "INSERT INTO build_image VALUES (?, ?, 'arm64', 'Image')",
                        arguments: [id, Data(image(number).bytes)])
                }
            }
            try db.execute(
                sql: """
                    INSERT INTO journal (key, arrival, signal, total, size, form, body)
                    VALUES (zeroblob(16), 1, 1, 0, 0, 0, x'');
                    INSERT INTO diagnostic (
                        entry, position, uid, arrival, kind, status, state, revision, app,
                        fingerprint, frames, symbolicated, wanted)
                    VALUES (1, 0, 'old', 1, 'crash', 'raw', 1, 1, 'a', 'f', 2, 0, '1:1 2:1');
                    INSERT INTO missing_image (
                        id, image, name, in_app, waiting, first_seen, last_seen)
                    VALUES (1, ?, 'Nine', 1, 1, 1, 1), (2, x'02', 'gone', 1, 0, 1, 1);
                    DELETE FROM missing_image WHERE id = 2;
                    INSERT INTO image_version (image, app, version) VALUES (1, 'a', '1.0 (7)');
                    INSERT INTO wait VALUES (1, 1, 0);
                    """, arguments: [Data(image(9).bytes)])
        }
        try queue.close()
    }
}
