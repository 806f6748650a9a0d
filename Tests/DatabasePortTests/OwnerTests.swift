import CallStacks
import DebugFiles
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
}
