import CallStacks
import DebugFiles
import Ingest
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Owners of debug files in both databases", .serialized, .ownThreads)
struct OwnerTests {
    private func file(
        _ number: UInt8, of app: String? = nil, blob: String = "a1"
    ) -> StoredDebugFile {
        StoredDebugFile(
            owner: SymbolOwner(app: app), image: image(number), architecture: "arm64",
            name: "Image\(number)", kind: "dsym", quality: .full, blob: blob, byteCount: 1_000,
            storedByteCount: 300, upload: .at(1))
    }

    private func build(_ app: String, _ number: String = "1") -> Build {
        Build(app: app, version: "1.0", build: number)
    }

    private func part(_ number: UInt8) -> BuildImage {
        BuildImage(image: image(number), architecture: "arm64", name: "Image\(number)")
    }

    @Test(
        "each owner has its own file, and replaces and removes only that",
        arguments: DatabaseKind.allCases)
    func owners(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            let files = [file(1, of: "a"), file(1, of: "b", blob: "b2"), file(1)]
            for (number, file) in files.enumerated() {
                let change = try await database.add(file)
                #expect(change == .added(number: Int64(number) + 1))
            }
            #expect(try await database.debugFiles(of: image(1)) == files)
            let other = file(1, of: "a", blob: "c3")
            #expect(try await database.add(other) == .kept(files[0]))
            #expect(
                try await database.add(other, replaces: true) == .replaced(files[0], number: 4))
            #expect(try await database.remove(image(1), of: .app("b")) == [files[1]])
            #expect(try await database.remove(image(1), of: .app("b")).isEmpty)
            #expect(try await database.remove(other))
            #expect(try await !database.remove(other))
            #expect(try await database.debugFiles(of: image(1)) == [files[2]])
        }
    }

    @Test(
        "lists and queries show an app its own files and those for all apps",
        arguments: DatabaseKind.allCases)
    func access(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            let files = [file(1, of: "a"), file(2, of: "b"), file(3)]
            for file in files { _ = try await database.add(file) }
            try await database.add([part(1), part(2), part(3)], to: build("a"), at: .at(1))
            func list(_ change: (inout DebugFileQuery) -> Void) async throws -> [ImageID] {
                var query = DebugFileQuery()
                change(&query)
                return try await database.debugFiles(query).map(\.image)
            }
            #expect(try await list { _ in } == [3, 2, 1].map { image($0) })
            #expect(try await list { $0.access = .only("a") } == [3, 1].map { image($0) })
            #expect(try await list { $0.access = .only("c") } == [image(3)])
            #expect(try await list { $0.app = "a" } == [3, 1].map { image($0) })
            #expect(try await list { $0.app = "b" } == [image(2)])
            #expect(try await list { $0.version = "1.0" } == [3, 1].map { image($0) })
            #expect(
                try await list {
                    $0.access = .only("b")
                    $0.version = "1.0"
                } == [])
            let all = [1, 2, 3].map { image($0) }
            #expect(try await database.missing(among: all, for: .only("a")) == [image(2)])
            #expect(try await database.missing(among: all, for: .everything) == [])
            let contents = try await database.builds(app: "a").flatMap(\.images)
            #expect(contents.map(\.file?.quality) == [.full, nil, .full])
        }
    }

    @Test(
        "a file wakes only the diagnostics that wait for it and may use it",
        arguments: DatabaseKind.allCases)
    func waking(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append([draft(1), draft(2), draft(3), draft(4)])
            func row(_ entry: Int64, _ app: String?) -> DiagnosticRecord {
                var wanted = wanted(1)
                wanted.app = app
                var row = diagnostic(entry, wanting: [wanted])
                row.app = app
                return row
            }
            let rows = [row(1, "a"), row(2, "b"), row(3, nil), row(4, "a")]
            try await database.commit(WorkerCommit(lastNumber: 4, diagnostics: rows))
            #expect(try await database.diagnostic(uid: "1-0") == rows[0])
            func wake(_ app: String?) async throws -> Int {
                try await database.wake(
                    catalogue, waitingFor: image(1), of: SymbolOwner(app: app), since: .at(0),
                    due: .at(9))
            }
            func waiting(_ app: String?) async throws -> [Int] {
                try await database.missingImages(MissingQuery(boundApp: app))
                    .map(\.waitingCount)
            }
            #expect(
                try await database.awaitedImages(after: nil, count: 9).map(\.app) == [
                    nil, "a", "b",
                ])
            #expect(try await waiting(nil) == [4])
            #expect(try await waiting("a") == [2])
            #expect(try await waiting("c") == [])
            #expect(try await wake("c") == 1, "who may use everything")
            #expect(try await wake("a") == 2)
            #expect(try await waiting("a") == [])
            #expect(try await waiting(nil) == [1])
            #expect(try await wake(nil) == 1)
            #expect(try await waiting(nil) == [])
        }
    }

    @Test(
        "the images that one app's diagnostics want exclude those of other apps",
        arguments: DatabaseKind.allCases)
    func missingOfOneApp(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            _ = try await database.append([draft(1), draft(2)])
            var others = wanted(1)
            others.name = "Zebra"
            var own = wanted(1, isInApp: false)
            own.app = "a"
            var rows = [diagnostic(1, wanting: [others]), diagnostic(2, wanting: [own])]
            rows[1].app = "a"
            try await database.commit(WorkerCommit(lastNumber: 2, diagnostics: rows))
            let found = try await database.missingImages(MissingQuery(app: "a", boundApp: "a"))
            #expect(found.map(\.name) == ["Image1"])
            #expect(found.map(\.isInApp) == [false])
            #expect(found.map(\.waitingCount) == [1])
            #expect(found.map(\.appVersions) == [["1.2 (2)"]])
            #expect(found.map(\.firstSeen) == [.at(2)])
            let all = try await database.missingImages(MissingQuery())
            #expect(all.map(\.waitingCount) == [2])
            #expect(all.map(\.appVersions) == [["1.1 (1)", "1.2 (2)"]])
        }
    }
}
