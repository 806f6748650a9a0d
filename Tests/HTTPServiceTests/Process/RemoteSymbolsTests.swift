import Foundation
import TestSupport
import Testing

/// The command line with symbols from a service, compared with local symbols.
@Suite("Symbols from a service", .ownThreads)
struct RemoteSymbolsTests {
    private static let reports = [
        "array-index.crash.json", "index-rebuild.hang.json", "divide-by-zero.otlp.json",
        "objc-block.legacy.crash", "divide-by-zero.report.ips",
    ]

    @Test(
        "results with remote symbols equal those with local symbols in every format",
        arguments: ["text", "json", "same"])
    func equal(format: String) async throws {
        let folder = try TestFolder()
        try await RunningService.run { service in
            let bundle = try Orchard.packed("tar czf $out .")
            #expect(try await service.post("/v1/symbols", bundle).status == 201)
            for report in Self.reports {
                let path = projectFolder.appendingPathComponent(
                    "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/\(report)"
                ).path
                let symbols = projectFolder.appendingPathComponent(Orchard.folder).path
                let common = ["symbolicate", path, "--format", format]
                let local = try await symbolist(common + ["--symbols", symbols], in: folder)
                let remote = try await symbolist(
                    common + ["--server", "http://127.0.0.1:\(service.http)"], in: folder)
                #expect(local.status == 0 && !local.output.isEmpty)
                #expect(remote.status == 0 && remote.output == local.output, "\(report)")
            }
        }
    }
}
