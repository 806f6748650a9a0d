import CallStacks
import EmbeddedDatabase
import Ingest
import JournalSupport
import Testing

@Suite("Lists of missing images")
struct MissingListTests {
    /// Stores diagnostics: image `n` is wanted by `counts[n - 1]` of them.
    private func store(
        _ counts: [Int], app: String, isInApp: Bool = true, uploader: String? = nil,
        in database: EmbeddedDatabase
    ) async throws {
        let entry = try #require(try await database.appendAll([draft(counts.count)]).last)
        let rows = (0..<(counts.max() ?? 0)).map { position in
            var row = diagnostic(entry, position)
            row.app = app
            row.wanted = counts.indices.filter { counts[$0] > position }.map { number in
                var image = wanted(UInt8(number + 1), isInApp: isInApp)
                image.app = uploader
                return image
            }
            return row
        }
        try await database.commit(WorkerCommit(lastNumber: entry, diagnostics: rows))
    }

    /// Reads a list forwards in pages of two, and then backwards, and expects the same rows.
    private func rows(
        _ query: MissingListQuery, in database: EmbeddedDatabase
    ) async throws -> [ListedMissingImage] {
        var query = query
        query.limit = 2
        var rows: [ListedMissingImage] = []
        while case let page = try await database.missingImages(query), let last = page.last {
            rows += page
            query.before = last.position
        }
        var back: [ListedMissingImage] = []
        query.after = rows.last?.position
        while case let page = try await database.missingImages(query), let first = page.first {
            back = page + back
            query.after = first.position
        }
        #expect(back == rows.dropLast())
        return rows
    }

    private func names(_ rows: [ListedMissingImage]) -> [String] {
        rows.map { "\($0.image.name ?? "?") \($0.image.waitingCount) \($0.app ?? "-")" }
    }

    @Test("pages have no gaps, also among images that equally many diagnostics want")
    func pages() async throws {
        try await withDatabase { database in
            try await store([1, 3, 2, 2, 2], app: "a", in: database)
            try await store([0, 0, 0, 0, 0, 4], app: "b", in: database)
            try await store([0, 0, 0, 0, 0, 0, 9], app: "b", isInApp: false, in: database)
            let all = try await rows(MissingListQuery(scope: .app), in: database)
            #expect(
                names(all) == [
                    "Image6 4 b", "Image2 3 a", "Image5 2 a", "Image4 2 a", "Image3 2 a",
                    "Image1 1 a",
                ])
            #expect(all.first?.image.appVersions == ["1.2 (2)"])
            let one = try await rows(MissingListQuery(scope: .app, app: "a"), in: database)
            #expect(one == Array(all.dropFirst()))
            let system = try await rows(MissingListQuery(scope: .system), in: database)
            #expect(names(system) == ["Image7 9 b"])
        }
    }

    @Test("the groups that wait for an image are those of its diagnostics, of one app or of all")
    func groups() async throws {
        try await withDatabase { database in
            try await store([3, 1], app: "a", in: database)
            try await store([2], app: "b", uploader: "b", in: database)
            let all = try await database.groups(waitingFor: image(1), app: nil)
            #expect(all.map { "\($0.app ?? "-") \($0.fingerprint)" } == ["a f1", "b f2"])
            #expect(all.map(\.diagnosticCount) == [3, 2])
            let one = try await database.groups(waitingFor: image(1), app: "b")
            #expect(one.map(\.app) == ["b"])
            #expect(try await database.groups(waitingFor: image(2), app: nil).count == 1)
            #expect(try await database.groups(waitingFor: image(9), app: nil).isEmpty)
        }
    }

    @Test("an app's own upload is waited for separately, and a bound caller sees only its app")
    func owners() async throws {
        try await withDatabase { database in
            try await store([3, 1], app: "a", in: database)
            try await store([2], app: "a", uploader: "a", in: database)
            try await store([4], app: "b", uploader: "b", in: database)
            let all = try await rows(MissingListQuery(scope: .app), in: database)
            #expect(names(all) == ["Image1 4 b", "Image1 3 a", "Image1 2 a", "Image2 1 a"])
            let bound = try await rows(
                MissingListQuery(scope: .app, app: "a", boundApp: "a"), in: database)
            #expect(names(bound) == ["Image1 5 a", "Image2 1 a"])
            let other = try await rows(
                MissingListQuery(scope: .app, app: "b", boundApp: "b"), in: database)
            #expect(names(other) == ["Image1 4 b"])
        }
    }
}
