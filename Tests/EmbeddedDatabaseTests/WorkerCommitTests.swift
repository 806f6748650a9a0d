import Ingest
import JournalSupport
import TestSupport
import Testing

@testable import EmbeddedDatabase

@Suite("Parts of a commit")
struct WorkerCommitTests {
    private func commit(of count: Int, perEntry: Int = 1) -> WorkerCommit {
        WorkerCommit(
            lastNumber: 100,
            diagnostics: (0..<count).map { diagnostic(1 + Int64($0 / perEntry), $0 % perEntry) },
            symbolsSeen: 7)
    }

    @Test(
        "store every diagnostic once, in order, and no entry in two parts",
        arguments: [0, 1, 11, 12, 13, 40, 63], [1, 3, 30])
    func divided(count: Int, perEntry: Int) {
        let commit = commit(of: count, perEntry: perEntry)
        let parts = commit.parts
        #expect(parts.flatMap(\.diagnostics) == commit.diagnostics)
        #expect(parts.last?.lastNumber == 100)
        #expect(parts.allSatisfy { $0.symbolsSeen == 7 })
        var start: Int64 = 0
        for part in parts {
            let entries = part.diagnostics.map(\.address.entry)
            #expect(entries.allSatisfy { (start + 1...part.lastNumber).contains($0) })
            #expect(entries.count < WorkerCommit.partCount + perEntry)
            start = part.lastNumber
        }
    }

    @Test("diagnostics in another order are stored in the order of their entries")
    func unordered() {
        var commit = commit(of: 40)
        commit.diagnostics.reverse()
        #expect(commit.parts.flatMap(\.diagnostics) == commit.diagnostics.reversed())
    }

    @Test("a large commit, and one with revisions or payloads, is one part")
    func undivided() throws {
        #expect(commit(of: WorkerCommit.largeCount).parts.count == 1)
        var revision = commit(of: 40)
        revision.revised = [diagnostic(1, 0)]
        #expect(revision.parts.count == 1)
        var payload = commit(of: 40)
        payload.payloads = [
            ProcessedPayload(key: try #require(EntryKey(bytes: Array(0..<16))))
        ]
        #expect(payload.parts.count == 1)
    }
}
