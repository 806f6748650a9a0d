import CallStacks
import EmbeddedDatabase
import Foundation
import Testing

@testable import HTTPService
@testable import Ingest

@Suite("The page of missing symbols over HTTP")
struct MissingPageRouteTests {
    /// Stores a diagnostic that waits for images.
    private static func store(
        _ count: Int, isInApp: Bool, in service: RunningService
    ) async throws {
        _ = try await service.post("/v1/metrickit", fixture("divide-by-zero.crash.json"))
        let entry = try #require(try await service.entries().last)
        let address = RecordAddress(entry: entry.number, position: isInApp ? 0 : 1)
        var diagnostic = DiagnosticRecord(
            uid: "\(address)", address: address,
            arrival: UnixTime(rawValue: 1_000), kind: .crash, status: .raw, fingerprint: "f")
        diagnostic.app = "shop"
        diagnostic.version = "1.4.0"
        diagnostic.wanted = (0..<count).compactMap { number in
            var bytes = [UInt8](repeating: isInApp ? 1 : 2, count: 16)
            bytes[0] = UInt8(number)
            return ImageID(bytes: bytes).map {
                WantedImage(
                    image: $0, name: "Image\(number)", architecture: "arm64", isInApp: isInApp,
                    frameCount: 1)
            }
        }
        try await service.database.commit(
            WorkerCommit(lastNumber: entry.number, diagnostics: [diagnostic]))
    }

    private static func images(_ page: Answer) -> [String] {
        page.text.matches(of: /<td><bdi>(Image[0-9]+)<\/bdi>/).map { String($0.output.1) }
    }

    private static func link(_ page: Answer, _ relation: String) throws -> String? {
        let pattern = try Regex("rel=\"\(relation)\" href=\"([^\"]*)\"")
        let found = try pattern.firstMatch(in: page.text)?.output[1].substring
        return found.map { String($0).replacing("&amp;", with: "&") }
    }

    @Test("images are listed page by page and back, and system images on pages of their own")
    func paging() async throws {
        try await RunningService.run { service in
            try await Self.store(120, isInApp: true, in: service)
            let first = try await service.open("/missing?app=shop")
            #expect(try Self.link(first, "prev") == nil)
            let second = try await service.open(try #require(try Self.link(first, "next")))
            let third = try await service.open(try #require(try Self.link(second, "next")))
            #expect(try Self.link(third, "next") == nil)
            let all = [first, second, third].flatMap(Self.images)
            #expect(all == (0..<120).reversed().map { "Image\($0)" })
            let back = try await service.open(try #require(try Self.link(third, "prev")))
            #expect(Self.images(back) == Self.images(second))
            #expect(!first.text.contains("System images"))

            try await Self.store(60, isInApp: false, in: service)
            let both = try await service.open("/missing?app=shop")
            #expect(both.text.contains("more than 50"))
            let path = "/missing?app=shop&amp;scope=system"
            #expect(both.text.contains("href=\"\(path)\""))
            let system = try await service.open(path.replacing("&amp;", with: "&"))
            #expect(Self.images(system).count == 50)
            let rest = try await service.open(try #require(try Self.link(system, "next")))
            #expect(Self.images(rest).count == 10)
            #expect(try await service.open("/missing?before=x").status == 400)
            #expect(try await service.open("/missing?scope=x").status == 400)
        }
    }
}
