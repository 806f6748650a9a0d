import CallStacks
import DebugFiles
import Foundation
import GRDB
import Ingest
import JournalSupport
import SymbolIntake
import Testing

@testable import EmbeddedDatabase

/// Files as earlier versions wrote them.
@Suite("Migration")
struct MigrationTests {
    /// A file of the version before diagnostics had addresses and debug files their completeness.
    private func oldFile(in folder: DataFolder, kind: DiagnosticKind = .crash) async throws {
        let queue = try DatabaseQueue(path: folder.file)
        try Schema.migrator.migrate(queue, upTo: "2: figures of versions")
        try await queue.write { db in
            try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            let key = Data(repeating: 7, count: 16)
            for (signal, body) in [(1, "logs"), (5, "client's"), (5, "other")] {
                try db.execute(
                    sql: """
                        INSERT INTO journal (key, arrival, signal, total, size, form, body)
                        VALUES (?, 1000, ?, 10, ?, 0, ?)
                        """, arguments: [key, signal, body.utf8.count, Data(body.utf8)])
            }
            for (position, uid) in [(0, "client's"), (1, "other")] {
                try db.execute(
                    sql: """
                        INSERT INTO diagnostic VALUES (1, ?, ?, 1000, '\(kind.rawValue)', 'raw', ?, ?, 1,
                            'com.example.shop', '1.0', '7', NULL, NULL, NULL, '1:ab', 12, 0, '1:3',
                            NULL, ?)
                        """,
                    arguments: [
                        position, uid, position == 0 ? 1 : 2, position == 0 ? nil : 5_000,
                        position == 0 ? nil : 3,
                    ])
                try db.execute(
                    sql: "INSERT INTO wait VALUES (1, 1, ?)", arguments: [position])
            }
            try db.execute(
                sql: """
                    INSERT INTO missing_image VALUES (1, ?, 'Image1', 'arm64', 1, 2, 1000, 1000);
                    INSERT INTO kept VALUES (1, 4, 2);
                    UPDATE reader SET place = 1, passed = 10;
                    INSERT INTO debug_file VALUES (1, ?, 'arm64', 'Image2', 'dsym', 4, 'a1', 9, 9,
                        1000, 1000, '[]')
                    """, arguments: [Data(image(1).bytes), Data(image(2).bytes)])
        }
        try queue.close()
    }

    @Test("diagnostics of an old file keep their identifiers and get addresses")
    func diagnostics() async throws {
        let folder = try DataFolder()
        try await oldFile(in: folder)
        let database = try folder.open()
        let rows = try await database.diagnostics(DiagnosticQuery())
        #expect(rows.map(\.uid) == ["other", "client's"])
        #expect(rows.map(\.address.description) == ["1:1", "1:0"])
        #expect(rows.map(\.state) == [.released, .sent])
        #expect(rows.map(\.heldUntil) == [.at(5), nil])
        #expect(rows.map(\.digest) == [nil, nil])
        #expect(rows.allSatisfy { $0.wanted.map(\.image) == [image(1)] })
        try #require(rows.count == 2)
        #expect(try await database.diagnostic(uid: "client's") == rows[1])
        let entries = try await database.entries(after: 1, count: 9, bytes: .max)
        #expect(entries.map(\.address) == ["client's", "other"])
        _ = try await database.append([draft(4)])
        var same = diagnostic(4)
        same.uid = "other"
        try await database.commit(WorkerCommit(lastNumber: 4, diagnostics: [same]))
        #expect(try await database.diagnostics(DiagnosticQuery()).count == 3)
        #expect(try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2)) == 2)
        #expect(
            try await database.enqueueDue(count: 9, now: .at(9)).map(\.address) == ["1:0", "1:1"])
        try await database.close()
    }

    @Test("sampled diagnostics of an old file are processed again, so that they have stacks")
    func stacks() async throws {
        for (kind, addresses) in [(DiagnosticKind.hang, ["1:0"]), (.crash, [])] {
            let folder = try DataFolder()
            try await oldFile(in: folder, kind: kind)
            let database = try folder.open()
            let due = try await database.enqueueDue(count: 9, now: .at(9)).map(\.address)
            #expect(due == addresses, "\(kind)")
            try await database.close()
        }
    }

    @Test("diagnostics of an old file are counted in groups, and counted on when more arrive")
    func groups() async throws {
        let folder = try DataFolder()
        try await oldFile(in: folder)
        let database = try folder.open()
        let old = try #require(try await database.groups(fingerprint: "1:ab", app: nil).first)
        #expect(old.app == "com.example.shop" && old.kind == .crash)
        #expect(old.diagnosticCount == 2 && old.unreadableCount == 2)
        #expect(old.firstSeen == .at(1) && old.newest.description == "1:1")
        #expect(old.versions.map(\.version) == ["1.0"])
        #expect(old.versions.map(\.frameCount) == [24])
        #expect(old.days == [GroupDay(day: 0, diagnosticCount: 2)])
        let coverage = try await database.coverage(of: "1.0", app: "com.example.shop")
        #expect(coverage?.diagnosticCount == 2 && coverage?.frameCount == 24)
        _ = try await database.append([draft(4)])
        var more = diagnostic(4, at: 90_000)
        more.fingerprint = "1:ab"
        try await database.commit(WorkerCommit(lastNumber: 4, diagnostics: [more]))
        let new = try #require(try await database.groups(fingerprint: "1:ab", app: nil).first)
        #expect(new.id == old.id && new.diagnosticCount == 3 && new.lastSeen == .at(90_000))
        #expect(new.days.map(\.diagnosticCount) == [2, 1])
        #expect(try await database.groupCounts(app: nil) == [.crash: 1])
        try await database.close()
    }

    @Test("images that an old file waits for have no frames and systems until diagnostics add them")
    func systems() async throws {
        let folder = try DataFolder()
        try await oldFile(in: folder)
        let database = try folder.open()
        let before = try await database.missingImages(MissingQuery())
        #expect(before.map(\.frameCount) == [0])
        #expect(before.map(\.systems) == [[]])
        _ = try await database.append([draft(4)])
        let origin = SystemOrigin(
            version: "iPhone OS 18.1 (22B83)", architecture: "arm64e", model: "iPhone15,2")
        var row = diagnostic(4)
        row.wanted = [
            WantedImage(
                image: image(9), name: nil, architecture: nil, isInApp: false, frameCount: 2,
                system: origin)
        ]
        try await database.commit(WorkerCommit(lastNumber: 4, diagnostics: [row]))
        let after = try await database.missingImages(MissingQuery(scope: .system))
        #expect(after.map(\.frameCount) == [2])
        #expect(after.first?.systems.map(\.diagnosticCount) == [1])
        try await database.close()
    }

    @Test("arrivals and removals that an old file has not yet marked, or missed, are found once")
    func arrivals() async throws {
        let folder = try DataFolder()
        try await fileBeforeChanges(in: folder)
        var database = try folder.open()
        #expect(try await database.lastSymbolChange() == 0)
        let awakened = [1, 2, 3, 4, 7, 9].map { image($0) }
        #expect(try await database.awakenedImages() == awakened)
        let terms = ResendTerms(oldest: .at(0), due: .at(9))
        for (number, markedCount): (UInt8, Int) in [
            (1, 1), (2, 0), (3, 1), (4, 1), (7, 0), (9, 0),
        ] {
            let count = try await database.markAll(waitingFor: image(number), terms)
            #expect(count == markedCount, "\(number)")
        }
        let left = try await database.missingImages(MissingQuery()).map(\.image)
        #expect(Set(left) == Set([5, 6, 8, 9, 11].map { image($0) }))
        _ = try await database.remove(image(10), of: nil)
        let more = try await database.missingImages(MissingQuery()).map(\.image)
        #expect(Set(more) == Set(left + [image(10)]))
        try await database.close()
        database = try folder.open()
        #expect(try await database.awakenedImages().isEmpty)
        try await database.close()
    }

    /// A file of the version before changes of symbols were recorded, with one diagnostic for each
    /// image. Those of images 1 and 2 were being marked, and 10 and 11 suspended.
    private func fileBeforeChanges(in folder: DataFolder) async throws {
        let queue = try DatabaseQueue(path: folder.file)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
        }
        try Schema.migrator.migrate(queue, upTo: "14: diagnostics of stored system images")
        try await queue.write { db in
            try Self.addWaitingDiagnostics(to: db)
            try Self.addFiles(to: db)
        }
        try queue.close()
    }

    private static func addWaitingDiagnostics(to db: Database) throws {
        for number: UInt8 in 1...11 {
            try db.execute(
                sql: """
                    INSERT INTO missing_image (
                        id, image, app, name, architecture, in_app, waiting, first_seen,
                        last_seen, stored)
                    VALUES (?, ?, ?, 'Image', 'arm64', 1, 1, 1000, 1000, ?)
                    """,
                arguments: [
                    number, Data(image(number).bytes), number == 8 ? "shop" : "", number >= 10,
                ])
            try db.execute(
                sql: "INSERT INTO wait (image, entry, position) VALUES (?, 1, ?)",
                arguments: [number, number])
            try db.execute(
                sql: """
                    INSERT INTO diagnostic (
                        entry, position, uid, arrival, kind, status, state, revision,
                        fingerprint, frames, symbolicated, wanted)
                    VALUES (1, ?, ?, 1000, 'crash', 'raw', 1, 1, '1:ab', 12, 0, ?)
                    """,
                arguments: [number, Data("\(number)".utf8), "\(number):3"])
        }
        try db.execute(
            sql: "INSERT INTO awakening VALUES (1, 5, 9), (2, ?, 9)", arguments: [Int64.max])
    }

    private static func addFiles(to db: Database) throws {
        let local = #"["symbols-file-missing: copy it as well"]"#
        let files: [(UInt8, String, String, Int, Int64, String, String?)] = [
            (2, "", "system", 2, 1, "[]", nil),
            // Sufficient, however old.
            (3, "", "dsym", 4, 1, "[]", #"{"unitsUnread":0}"#),
            // Insufficient, and later than the diagnostic.
            (4, "", "dsym", 4, 2_000, "[]", #"{"unitsUnread":3}"#),
            // Insufficient, and known to the diagnostic.
            (5, "", "dsym", 2, 1, "[]", nil),
            // 6 has no file.
            (7, "", "system", 2, 1, "[]", nil),
            // Another app's.
            (8, "mail", "dsym", 4, 2_000, "[]", nil),
            // Later, and without all symbols.
            (9, "", "system", 2, 2_000, local, nil),
            (10, "", "system", 2, 2_000, "[]", nil),
            // The file of 11 was removed before its diagnostic was stored.
        ]
        for (number, app, kind, quality, upload, warnings, completeness) in files {
            try db.execute(
                sql: """
                    INSERT INTO debug_file (
                        app, image, architecture, name, kind, quality, blob, size, stored,
                        upload, last_use, warnings, completeness)
                    VALUES (?, ?, 'arm64', 'Image', ?, ?, 'a1', 9, 9, ?, 1, ?, ?)
                    """,
                arguments: [
                    app, Data(image(number).bytes), kind, quality, upload, warnings,
                    completeness,
                ])
        }
    }

    @Test("debug files of an old file have a quality only")
    func debugFiles() async throws {
        let folder = try DataFolder()
        try await oldFile(in: folder)
        let database = try folder.open()
        let old = try #require(try await database.debugFiles(of: image(2)).first)
        #expect(old.quality == .full)
        #expect(old.completeness == nil)
        #expect(try await database.missing(among: [image(2)], for: .everything).isEmpty)
        var damaged = old
        damaged.blob = "b2"
        damaged.completeness = Completeness()
        damaged.completeness?.unitsUnread = 1
        #expect(try await database.add(damaged) == .kept(old))
        var whole = damaged
        whole.completeness?.unitsRead = 9
        whole.completeness?.unitsUnread = 0
        #expect(try await database.add(whole) == .replaced(old, number: 1))
        #expect(try await database.debugFiles(of: image(2)) == [whole])
        #expect(try await database.systems().isEmpty)
        try await database.close()
    }
}
