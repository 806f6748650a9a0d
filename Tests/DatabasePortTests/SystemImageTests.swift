import CallStacks
import DebugFiles
import Ingest
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

    @Test(
        "an upload that names no system gets those of the diagnostics that want the image",
        arguments: DatabaseKind.allCases)
    func hints(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append([draft(1)])
            var row = diagnostic(1)
            row.wanted = [
                WantedImage(
                    image: image(1), name: nil, architecture: nil, isInApp: false, frameCount: 2,
                    system: SystemOrigin(
                        version: "iPhone OS 18.1 (22B83)", architecture: "arm64e", model: nil))
            ]
            try await database.commit(WorkerCommit(lastNumber: 1, diagnostics: [row]))
            for number: UInt8 in 1...2 { _ = try await catalogue.add(file(number)) }
            try await catalogue.add([image(1), image(2)], ofSystem: nil)
            var wanted = first
            wanted.architecture = "arm64e"
            let systems = try await catalogue.systems()
            #expect(systems.map(\.system) == [wanted])
            #expect(systems.map(\.imageCount) == [1])
            try await catalogue.add([image(2)], ofSystem: next)
            try await catalogue.add([image(2)], ofSystem: nil)
            #expect(try await catalogue.systems().map(\.imageCount) == [1, 1])
        }
    }

    @Test(
        "diagnostics with frames in a removed system image wait for it again",
        arguments: DatabaseKind.allCases)
    func waits(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            func row(_ number: Int64, isStored: Bool) -> DiagnosticRecord {
                var row = diagnostic(number)
                row.wanted = [
                    WantedImage(
                        image: image(1), name: nil, architecture: nil, isInApp: false,
                        frameCount: 2,
                        system: SystemOrigin(
                            version: "iPhone OS 18.1 (22B83)", architecture: "arm64e", model: nil),
                        isStored: isStored)
                ]
                return row
            }
            func missing() async throws -> [MissingImage] {
                try await database.missingImages(MissingQuery(scope: .system))
            }
            _ = try await database.append([draft(1), draft(2)])
            try await database.commit(
                WorkerCommit(lastNumber: 1, diagnostics: [row(1, isStored: false)]))
            #expect(try await missing().map(\.waitingCount) == [1])
            _ = try await catalogue.add(file(1))
            try await catalogue.add([image(1)], ofSystem: first)
            let terms = ResendTerms(oldest: .at(0), due: .at(2))
            #expect(try await database.markAll(waitingFor: image(1), terms) == 0)
            try await database.commit(
                WorkerCommit(lastNumber: 2, diagnostics: [row(2, isStored: true)]))
            #expect(try await missing().isEmpty)
            #expect(try await database.awaitedImages(after: nil, count: 9).isEmpty)
            let rows = try await database.diagnostics(DiagnosticQuery())
            #expect(rows.map(\.wanted.isEmpty) == [true, true])
            #expect(
                try await database.wake(catalogue, waitingFor: image(1), since: .at(0), due: .at(2))
                    == 0)

            #expect(try await catalogue.removeSystem(build: "22B83") == [file(1)])
            let again = try #require(try await missing().first)
            #expect(again.waitingCount == 2)
            #expect(again.frameCount == 4)
            #expect(again.systems.map(\.diagnosticCount) == [2])
            let waiting = try await database.diagnostics(DiagnosticQuery())
            #expect(waiting.map(\.wanted.count) == [1, 1])
        }
    }
}
