import CallStacks
import Foundation
import GRDB
import Ingest
import Testing

@testable import EmbeddedDatabase

@Suite("Full disk")
struct FullDiskTests {
    /// Appends until there is no room, and returns how many entries were kept.
    private func fill(_ database: EmbeddedDatabase, from number: Int) async throws -> Int {
        for number in number...(number + 10_000) {
            do throws(JournalError) {
                let places = try await database.append([draft(number, size: 50_000)])
                #expect(places == [Int64(number)])
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

    @Test("a full database refuses, keeps what it has, and goes on when there is room")
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

    @Test("a write that does not fit does not fail those that come with it")
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

    /// A file system of a few megabytes; `nil` where the system does not let us have one.
    private final class SmallDisk: Sendable {
        let folder: DataFolder

        init?() throws {
            folder = try DataFolder()
            guard Self.run("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder.path) else {
                return nil
            }
        }

        deinit { _ = Self.run("umount", folder.path) }

        private static func run(_ arguments: String...) -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    @Test("a full disk refuses, damages nothing, and goes on when there is room")
    func smallDisk() async throws {
        // Only a privileged process may mount; the page limit shows the same elsewhere.
        guard let disk = try SmallDisk() else { return }
        let ballast = "\(disk.folder.path)/ballast"
        try Data(count: 2 << 20).write(to: URL(fileURLWithPath: ballast))
        var database = try disk.folder.open()
        let kept = try await fill(database, from: 1)
        try await expectEntries(kept, in: database)
        try FileManager.default.removeItem(atPath: ballast)
        #expect(
            try await database.append([draft(kept + 1, size: 50_000)]) == [Int64(kept) + 1])
        try await database.close()
        database = try disk.folder.open()
        try await expectEntries(kept + 1, in: database)
        try await database.close()
    }
}
