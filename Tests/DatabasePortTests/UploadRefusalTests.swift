import CallStacks
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Refused uploads in both databases", .serialized, .ownThreads)
struct UploadRefusalTests {
    private func refusal(_ number: Int, of app: String? = nil) -> UploadRefusal {
        UploadRefusal(
            time: .at(Int64(number)), name: "file \(number)", reason: "truncated", app: app,
            version: nil, build: app.map { _ in "7" })
    }

    @Test("the newest refusals are kept, and listed newest first", arguments: DatabaseKind.allCases)
    func newest(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            try await database.add([UploadRefusal]())
            #expect(try await database.refusals(app: nil).isEmpty)
            let many = (1...UploadRefusal.limit).map { refusal($0) }
            try await database.add(many)
            let own = refusal(UploadRefusal.limit + 1, of: "a")
            try await database.add([own])
            #expect(try await database.refusals(app: "a") == [own])
            #expect(try await database.refusals(app: "b").isEmpty)
            let all = try await database.refusals(app: nil)
            #expect(all == [own] + many.dropFirst().reversed())
        }
    }
}
