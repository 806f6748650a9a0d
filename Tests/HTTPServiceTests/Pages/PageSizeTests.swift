import Foundation
import TestSupport
import Testing

@testable import HTTPService

@Suite("Sizes of pages", .ownThreads)
struct PageSizeTests {
    private static let gzip = ["accept-encoding": "gzip"]

    @Test("style sheet and script are small", arguments: [("pages.css", 8), ("pages.js", 12)])
    func assets(name: String, kilobytes: Int) async throws {
        try await RunningService.run { service in
            let path = "/assets/\(PageAssetFiles().version)/\(name)"
            let packed = try await service.open(path, Self.gzip)
            #expect(packed.header("content-encoding") == "gzip")
            #expect(packed.body.count <= kilobytes << 10)
            let asset = try await service.open(path)
            #expect(!asset.text.contains("url("), "it loads nothing else")
            let lines = asset.text.split(separator: "\n")
            #expect(!lines.contains { $0.hasPrefix("import ") || $0.hasPrefix("@import") })
        }
    }

    /// The paths that a page loads besides itself.
    private static func assets(_ page: Answer) -> [String] {
        page.text.matches(of: /<(?:link|script)[^>]* (?:href|src)="([^"]*)"/).map {
            String($0.output.1)
        }
    }

    @Test("a page takes at most four requests and 100 KB, whichever it is")
    func requests() async throws {
        try await RunningService.run { service in
            for file in [Orchard.dSYM, Orchard.kitDSYM] {
                _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(file))
            }
            _ = try await service.post("/v1/metrickit", fixture("index-rebuild.hang.json"))
            let crash = try await service.receiveCrash()
            let rows = try await service.get("/v1/diagnostics?kind=hang").list("diagnostics")
            let hang = try #require(rows.first?["id"] as? String)
            for path in [
                "/", "/d/\(crash)", "/d/\(hang)", "/d/\(crash)?view=original", "/missing",
                "/images/\(OwnedApps.image)", "/builds", "/versions", "/health", "/drop", "/keys",
                "/flame?app=com.example.Orchard&version=1.4.0", "/sign-in", "/d/none",
            ] {
                var size = try await service.open(path, Self.gzip).body.count
                let assets = Self.assets(try await service.open(path))
                #expect(assets.count == 3, "\(path): \(assets)")
                for asset in assets {
                    size += try await service.open(asset, Self.gzip).body.count
                }
                #expect(size <= 100 << 10, "\(path): \(size)")
            }
        }
    }

    /// Receives a payload, and returns the path of its only diagnostic.
    private static func path(of payload: [UInt8], in service: RunningService) async throws -> String
    {
        _ = try await service.post("/v1/metrickit", payload)
        try await service.drain()
        let row = try #require(try await service.get("/v1/diagnostics").list("diagnostics").first)
        return "/d/\(try #require(row["id"] as? String))"
    }

    @Test("a crash of 640 frames is at most 20 KB, compressed")
    func crash() async throws {
        var generated = GeneratedPayload()
        let stacks = (0..<8).map { _ in generated.call(depth: 80, branches: 1) }
        let payload = try GeneratedPayload.payload(
            "divide-by-zero.crash.json", "crashDiagnostics", stacks: stacks)
        try await RunningService.run { service in
            let path = try await Self.path(of: payload, in: service)
            let page = try await service.open(path + "?frames=all")
            #expect(page.text.ranges(of: "<tr id=\"t").count == 640)
            let packed = try await service.open(path + "?frames=all", Self.gzip)
            #expect(packed.body.count <= 20 << 10, "\(packed.body.count) bytes")
        }
    }

    @Test("an icicle of 1,000 cells is at most 60 KB, compressed")
    func icicle() async throws {
        var generated = GeneratedPayload()
        // One, and 1,092 below it.
        let root = generated.call(depth: 7, branches: 3)
        let payload = try GeneratedPayload.payload(
            "index-rebuild.hang.json", "hangDiagnostics", stacks: [root])
        try await RunningService.run { service in
            let path = try await Self.path(of: payload, in: service)
            let cells = try await service.open(path).text.ranges(of: "class=\"cell ").count
            #expect(cells >= 1_000)
            let packed = try await service.open(path, Self.gzip)
            #expect(packed.body.count <= 60 << 10, "\(packed.body.count) bytes")
        }
    }
}
