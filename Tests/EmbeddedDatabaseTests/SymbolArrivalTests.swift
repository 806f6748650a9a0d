import CallStacks
import DebugFiles
import EmbeddedDatabase
import Ingest
import JournalSupport
import SymbolIntake
import Testing

@Suite("Arrivals of symbols")
struct SymbolArrivalTests {
    @Test("if changes are no longer stored, every image counts as changed")
    func bounded() async throws {
        try await withDatabase { database in
            _ = try await database.append([draft(1), draft(2)])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10_001 {
                    group.addTask {
                        _ = try await database.recordChange(of: debugFile(of: image(9)))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.lastSymbolChange() == 10_001)
            let changes = try await database.symbolChanges(after: 0)
            #expect(changes == SymbolChangeList(images: nil, lastNumber: 10_001))
            let known = diagnostic(1, wanting: [wanted(1)])
            try await database.commit(
                WorkerCommit(lastNumber: 1, diagnostics: [known], symbolsSeen: 1))
            #expect(try await database.awakenedImages() == [])
            let unknown = diagnostic(2, wanting: [wanted(2)])
            try await database.commit(
                WorkerCommit(lastNumber: 2, diagnostics: [unknown], symbolsSeen: 0))
            #expect(try await database.awakenedImages() == [image(2)])
        }
    }

    @Test("a diagnostic that is sent again while its image awakens others can wait for it again")
    func revisionDuringAwakening() async throws {
        try await withDatabase { database in
            _ = try await database.append([draft(1)])
            let rows = (0..<101).map { diagnostic(1, $0, wanting: [wanted(1)]) }
            try await database.commit(WorkerCommit(lastNumber: 1, diagnostics: rows))
            _ = try await database.add(debugFile(of: image(1), .symbols))
            let terms = ResendTerms(oldest: .at(0), due: .at(5))
            #expect(try await !database.stepAwakening(of: image(1), terms).isLast)
            #expect(try await waitingCounts(database) == [1])
            var revised = try #require(rows.first)
            revised.revision = 2
            try await database.commit(
                WorkerCommit(lastNumber: 1, revised: [revised], symbolsSeen: 1))
            #expect(try await waitingCounts(database) == [2])
        }
    }

    private func waitingCounts(_ database: EmbeddedDatabase) async throws -> [Int] {
        try await database.missingImages(MissingQuery()).map(\.waitingCount)
    }
}
