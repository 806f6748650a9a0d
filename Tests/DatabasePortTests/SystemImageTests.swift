import CallStacks
import DebugFiles
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Systems of stored images in both databases", .serialized, .ownThreads)
struct SystemImageTests {
    private let first = SystemBuild(name: "iPhone OS 18.1", build: "22B83", architecture: "")
    private let next = SystemBuild(name: "iPhone OS 18.2", build: "22C152", architecture: "")

    private func file(
        _ number: UInt8, kind: String = StoredDebugFile.systemKind,
        _ quality: DebugFileSummary.Quality = .symbols, blob: String? = nil
    ) -> StoredDebugFile {
        StoredDebugFile(
            image: image(number), architecture: "arm64e", name: "Image\(number)", kind: kind,
            quality: quality, blob: blob ?? "blob\(number)", byteCount: 1_000,
            storedByteCount: 300, upload: .at(Int64(number)))
    }

    @Test(
        "a system is removed with the images that belong to no other system",
        arguments: DatabaseKind.allCases)
    func removal(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            for number: UInt8 in 1...3 { _ = try await database.add(file(number)) }
            _ = try await database.add(file(4, kind: "dylib"))
            try await database.add([1, 2, 4].map { image($0) }, ofSystem: first)
            try await database.add([image(2)], ofSystem: next)
            let systems = try await database.systems()
            #expect(systems.map(\.system.build) == ["22B83", "22C152"])
            #expect(systems.map(\.system.name) == ["iPhone OS 18.1", "iPhone OS 18.2"])
            #expect(systems.map(\.system.architecture) == ["arm64e", "arm64e"])
            #expect(systems.map(\.imageCount) == [2, 1])
            #expect(systems.map(\.storedByteCount) == [600, 300])

            #expect(try await database.removeSystem(build: "22B83") == [file(1)])
            #expect(try await database.removeSystem(build: "22B83") == nil)
            #expect(try await database.systems().map(\.system.build) == ["22C152"])
            #expect(try await database.removeSystem(build: "22C152") == [file(2)])
            let left = try await database.debugFiles(DebugFileQuery())
            #expect(left.map(\.image) == [image(4), image(3)])
        }
    }

    @Test(
        "a better file keeps the systems of its image, and the last file takes them along",
        arguments: DatabaseKind.allCases)
    func replacement(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            _ = try await database.add(file(1, .exportedSymbols))
            try await database.add([image(1)], ofSystem: first)
            let better = file(1, blob: "better")
            #expect(
                try await database.add(better) == .replaced(file(1, .exportedSymbols), number: 2))
            #expect(try await database.systems().map(\.imageCount) == [1])
            let oldest = try #require(try await database.leastRecentlyUsed(count: 1).first)
            #expect(oldest == better)
            #expect(try await database.remove(oldest))
            #expect(try await database.systems().isEmpty)
            #expect(try await database.removeSystem(build: "22B83") == nil)
        }
    }
}
