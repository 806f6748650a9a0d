import Foundation
import TestSupport
import Testing

@testable import HTTPService

@Suite("Received diagnostics over HTTP", .ownThreads)
struct DiagnosticsTests {
    @Test("received diagnostics are listed, filtered, paged and shown with current symbols")
    func lists() async throws {
        try await RunningService.run { service in
            for name in ["divide-by-zero.crash", "index-rebuild.hang", "array-index.crash"] {
                _ = try await service.post("/v1/metrickit", fixture("\(name).json"))
                try await service.drain()
            }
            func ids(_ query: String = "") async throws -> [String] {
                try await service.get("/v1/diagnostics\(query)").list("diagnostics")
                    .compactMap { $0["id"] as? String }
            }
            let all = try await ids()
            try #require(all.count == 3)
            #expect(try await ids("?kind=hang") == [all[1]])
            #expect(try await ids("?status=raw") == all)
            #expect(try await ids("?status=symbolicated") == [])
            #expect(try await ids("?limit=2") == Array(all.prefix(2)))
            #expect(try await ids("?limit=2&before=\(all[1])") == [all[2]])
            let page = try await service.get("/v1/diagnostics?limit=2").object()
            let next = try #require(page["next"] as? String)
            #expect(try await ids("?limit=2&before=\(next)") == [all[2]])
            #expect(try await service.get("/v1/diagnostics?limit=4").object()["next"] == nil)
            let row = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").last)
            #expect(row["app"] as? String == "com.example.Orchard")
            #expect(row["exception_type"] != nil)
            #expect((row["missing"] as? [String])?.isEmpty == false)
            let fingerprint = try #require(row["fingerprint"] as? String)
            let encoded = fingerprint.replacing(":", with: "%3A")
            #expect(
                try await ids(
                    "?fingerprint=\(encoded)&app=com.example.Orchard&version=\(row["version"] ?? "")"
                ).contains(all[2]))
            #expect(try await ids("?app=other") == [])

            _ = try await service.post("/v1/symbols", projectFile(Orchard.dSYM))
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let shown = try await service.get("/v1/diagnostics/\(all[2])")
            #expect(try shown.object()["culprit"] as? String == "share(_:among:)")
            let text = try await service.get("/v1/diagnostics/\(all[2])", ["accept": "text/plain"])
            #expect(text.text.contains("share(_:among:) (Harvest.swift:31:11)"))
            let crash = try await service.get("/v1/diagnostics/\(all[2])?format=crash")
            #expect(crash.text.contains("Binary Images:"))
            #expect(crash.text.contains("share(_:among:) + "))
            let markdown = try await service.get("/v1/diagnostics/\(all[2])?format=markdown")
            #expect(markdown.text.contains("<b>share(_:among:)</b>"))
            try expectError(
                try await service.get("/v1/diagnostics/\(all[1])?format=crash"), 406,
                "no_crash_form")
            for format in ["collapsed", "speedscope"] {
                let profile = try await service.get(
                    "/v1/diagnostics/\(all[1])?format=\(format)")
                #expect(profile.text.contains("rebuildIndex(rows:)"))
                try expectError(
                    try await service.get("/v1/diagnostics/\(all[2])?format=\(format)"), 406,
                    "no_samples")
            }
            try expectError(
                try await service.get("/v1/diagnostics/\(all[2])?format=same"), 400,
                "unknown_format", "text, json, crash, markdown, collapsed or speedscope")
        }
    }

    @Test("unknown diagnostics and values are rejected")
    func refused() async throws {
        try await RunningService.run { service in
            try expectError(try await service.get("/v1/diagnostics/none"), 404, "not_found")
            try expectError(try await service.get("/v1/diagnostics?before=none"), 404, "not_found")
            try expectError(
                try await service.get("/v1/diagnostics?kind=war"), 400, "unknown_kind",
                "crash, hang")
            try expectError(
                try await service.get("/v1/diagnostics?status=war"), 400, "unknown_status")
            try expectError(try await service.get("/v1/diagnostics?limit=1001"), 400, "bad_limit")
            try expectError(try await service.get("/v1/dead-letters?after=abc"), 400, "bad_after")
            try expectError(
                try await service.get("/v1/missing?scope=war"), 400, "unknown_scope", "app, system")
        }
    }

    @Test("missing images are listed by scope")
    func missing() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/metrickit", fixture("divide-by-zero.crash.json"))
            try await service.drain()
            let all = try await service.get("/v1/missing").list("missing")
            let app = try await service.get("/v1/missing?scope=app&app=com.example.Orchard")
                .list("missing")
            let system = try await service.get("/v1/missing?scope=system").list("missing")
            #expect(!app.isEmpty && all.count == app.count + system.count)
            #expect(app.allSatisfy { $0["scope"] as? String == "app" })
            let image = try #require(
                app.first { $0["uuid"] as? String == Orchard.kit } ?? app.first)
            for key in ["name", "arch", "versions", "diagnostics", "first_seen", "last_seen"] {
                #expect(image[key] != nil, "\(key)")
            }
            #expect(image["diagnostics"] as? Int == 1)
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            _ = try await service.post("/v1/symbols", projectFile(Orchard.dSYM))
            #expect(try await service.get("/v1/missing?scope=app").list("missing").isEmpty)
        }
    }
}
