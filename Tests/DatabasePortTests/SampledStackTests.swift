import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Sampled stacks of both databases", .serialized, .ownThreads)
struct SampledStackTests {
    private func hang(_ entry: Int64, stacks: String?) -> DiagnosticRecord {
        var row = diagnostic(entry, at: entry * 86_400)
        row.kind = .hang
        row.version = entry < 4 ? "1" : "2"
        row.fingerprint = "f"
        row.sampledStacks = stacks.map { Array($0.utf8) }
        return row
    }

    private let version = FlameQuery(.version("1", app: "com.example.shop", kind: .hang))
    private let group = FlameQuery(.group(fingerprint: "f", app: "com.example.shop"))

    private func texts(_ query: FlameQuery, _ database: any PortDatabase) async throws -> [String] {
        let ids = try await database.archives.sampledStackIDs(query)
        let stacks = try await database.archives.sampledStacks(ids)
        return ids.map { String(decoding: stacks[$0, default: []], as: UTF8.self) }
    }

    private func fill(_ database: any PortDatabase) async throws -> [DiagnosticRecord] {
        var crash = diagnostic(5)
        crash.version = "1"
        var unknown = hang(6, stacks: "six")
        unknown.app = nil
        let rows = [
            hang(1, stacks: "one"), hang(2, stacks: nil), hang(3, stacks: "three"),
            hang(4, stacks: "four"), crash, unknown,
        ]
        _ = try await database.journal.append((1...6).map { draft($0) })
        try await database.journal.commit(WorkerCommit(lastNumber: 6, diagnostics: rows))
        return rows
    }

    @Test(
        "stacks are those of a version's or a group's diagnostics, newest first",
        arguments: DatabaseKind.allCases)
    func lists(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            _ = try await fill(database)
            #expect(try await texts(version, database) == ["three", "one"])
            #expect(try await texts(group, database) == ["four", "three", "one"])
            #expect(try await texts(FlameQuery(group.subject, limit: 1), database) == ["four"])
            let unknown = FlameQuery(.group(fingerprint: "f", app: nil))
            #expect(try await texts(unknown, database) == ["six"])
            #expect(try await database.archives.diagnosticCount(version) == 3)
            #expect(try await database.archives.diagnosticCount(group) == 4)
            #expect(try await database.archives.diagnosticCount(unknown) == 1)
            let none = FlameQuery(.group(fingerprint: "g", app: nil))
            #expect(try await database.archives.diagnosticCount(none) == 0)
            #expect(try await database.archives.sampledStackIDs(none).isEmpty)
        }
    }

    @Test(
        "the stacks of a revision have another id, and those of a removed diagnostic none",
        arguments: DatabaseKind.allCases)
    func revisions(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            let rows = try await fill(database)
            let before = try await database.archives.sampledStackIDs(version)
            var revised = rows[2]
            revised.revision = 2
            revised.sampledStacks = Array("later".utf8)
            try await database.journal.commit(WorkerCommit(lastNumber: 6, revised: [revised]))
            #expect(try await texts(version, database) == ["later", "one"])
            let after = try await database.archives.sampledStackIDs(version)
            try #require(before.count == 2 && after.count == 2)
            #expect(after[0] != before[0] && after[1] == before[1])
            #expect(try await database.archives.sampledStacks(before).count == 1)
            var removed = 0
            repeat {
                removed = try await database.journal.removeDiagnostics(
                    before: .at(2 * 86_400), keeping: .max, count: 9)
            } while removed > 0
            #expect(try await texts(version, database) == ["later"])
            #expect(try await database.archives.sampledStacks(before).isEmpty)
        }
    }
}
