import CallStacks
import Ingest
import JournalSupport
import Testing

@testable import EmbeddedDatabase

@Suite("Systems of missing images")
struct MissingSystemTests {
    private func origin(_ build: String, model: String? = "iPhone15,2") -> SystemOrigin? {
        SystemOrigin(version: "iPhone OS 18.1 (\(build))", architecture: "arm64e", model: model)
    }

    private func row(_ number: Int64, _ origin: SystemOrigin?) -> DiagnosticRecord {
        var row = diagnostic(number)
        row.wanted = [
            WantedImage(
                image: image(9), name: "UIKitCore", architecture: "arm64e", isInApp: false,
                frameCount: 3, system: origin)
        ]
        return row
    }

    private func missing(_ origins: [SystemOrigin?]) async throws -> MissingImage {
        let folder = try DataFolder()
        let database = try folder.open()
        for (number, origin) in zip(Int64(1)..., origins) {
            _ = try await database.append([draft(Int(number))])
            try await database.commit(
                WorkerCommit(lastNumber: number, diagnostics: [row(number, origin)]))
        }
        let images = try await database.missingImages(MissingQuery(scope: .system))
        try await database.close()
        return try #require(images.first)
    }

    @Test("an image has the builds that want it, with their diagnostics, models and frames")
    func builds() async throws {
        let image = try await missing([
            origin("22B83"), origin("22B83", model: "iPhone16,1"), origin("22B83"), origin("22A1"),
        ])
        #expect(image.frameCount == 12)
        try #require(image.systems.map(\.system.build) == ["22B83", "22A1"])
        #expect(image.systems.map(\.diagnosticCount) == [3, 1])
        #expect(image.systems[0].models == ["iPhone15,2", "iPhone16,1"])
        #expect(image.systems[0].system.name == "iPhone OS 18.1")
        #expect(image.systems[0].system.architecture == "arm64e")
    }

    @Test("a revision counts its frames and systems once, for images that it did not want before")
    func revision() async throws {
        let folder = try DataFolder()
        let database = try folder.open()
        _ = try await database.append([draft(1), draft(2)])
        var row = row(1, origin("22B83"))
        try await database.commit(WorkerCommit(lastNumber: 1, diagnostics: [row]))
        row.wanted.append(
            WantedImage(
                image: image(8), name: "Foundation", architecture: "arm64e", isInApp: false,
                frameCount: 2, system: origin("22B83")))
        try await database.commit(WorkerCommit(lastNumber: 2, revised: [row]))
        let images = try await database.missingImages(MissingQuery(scope: .system))
        #expect(Set(images.map(\.frameCount)) == [3, 2])
        #expect(images.flatMap(\.systems).map(\.diagnosticCount) == [1, 1])
        #expect(images.map(\.waitingCount) == [1, 1])
        #expect(try await database.diagnostics(DiagnosticQuery()).first?.wanted.count == 2)
        row.wanted = []
        try await database.commit(WorkerCommit(lastNumber: 2, revised: [row]))
        #expect(try await database.missingImages(MissingQuery(scope: .system)).isEmpty)
        try await database.close()
    }

    @Test("of nine builds eight are kept, and of five models four")
    func limits() async throws {
        let builds = try await missing((1...9).map { origin("22B8\($0)") })
        #expect(builds.systems.count == 8)
        let models = try await missing((1...5).map { origin("22B83", model: "iPhone1\($0),1") })
        try #require(!models.systems.isEmpty)
        #expect(models.systems[0].models.count == 4)
        #expect(models.systems[0].diagnosticCount == 5)
    }

    @Test("a diagnostic without a system still counts its frames")
    func unknown() async throws {
        let image = try await missing([nil])
        #expect(image.systems.isEmpty)
        #expect(image.frameCount == 3)
        #expect(SystemOrigin(version: nil, architecture: nil, model: nil) == nil)
    }
}
