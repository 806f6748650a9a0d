import Foundation
import GRPCCore
import Ingest
import OTLP
import TestSupport
import Testing

@testable import HTTPService

@Suite("Files and diagnostics of other apps", .ownThreads)
struct OwnershipTests {
    private let mine = OwnedApps.mine
    private let other = OwnedApps.other

    private func read(_ app: String?) -> [String: String] { OwnedApps.token(.read, of: app) }

    private func crash() throws -> [UInt8] { try fixture(OwnedApps.crash) }

    @Test("a file uploaded by another app for the same image neither serves nor blocks its owner")
    func forgedFile() async throws {
        try await RunningService.withOwnedApps { service in
            let dSYM = try projectFile(Orchard.dSYM)
            #expect(try await service.upload(OwnedApps.forged("before"), of: other) == ["stored"])
            #expect(try await service.upload(dSYM, of: mine) == ["indexed"])
            let function = try await service.lookup(read(mine))
            #expect(function.contains(OwnedApps.function))
            for file in [OwnedApps.forged("after"), dSYM] {
                _ = try await service.upload(file, of: other, query: "&replace=true")
                #expect(try await service.lookup(read(mine)) == function)
                #expect(try await service.lookup(read(nil), query: "?app=\(mine)") == function)
            }
            let path = "/v1/symbols/\(OwnedApps.image)"
            let files = try await service.get(path, read(mine)).list("files")
            #expect(files.map { $0["app"] as? String } == [mine])
            #expect(try await service.get(path, read(nil)).list("files").count == 2)
            let removed = try await service.send("DELETE", path, OwnedApps.token(.upload, of: mine))
            #expect(try removed.list("removed").map { $0["app"] as? String } == [mine])
            try expectError(try await service.get(path, read(mine)), 404, "not_found")
            #expect(try await service.lookup(read(other)) == function, "its own copy")
        }
    }

    @Test("an app does not become the owner of an image by querying it")
    func claimedImage() async throws {
        try await RunningService.withOwnedApps { service in
            #expect(
                try await service.upload(projectFile(Orchard.dSYM), of: mine) == ["indexed"])
            let claim = try await service.post(
                "/v1/symbols/missing?\(OwnedApps.build(of: other))", OwnedApps.question,
                OwnedApps.token(.upload, of: other))
            #expect(try claim.object()["missing"] as? [String] == [OwnedApps.image])
            #expect(try await service.lookup(read(other)) == "missing_image")
            #expect(
                try await service.get("/v1/symbols", read(other)).list("files").isEmpty)
            try expectError(
                try await service.get("/v1/symbols/\(OwnedApps.image)", read(other)), 404,
                "not_found")
            let text = try await service.post(
                "/v1/symbolicate?format=text", crash(), read(other)
            ).text
            #expect(!text.contains(OwnedApps.function))
            let builds = try await service.get("/v1/builds", read(other)).text
            #expect(!builds.contains(OwnedApps.image))
            try expectError(
                try await service.send(
                    "DELETE", "/v1/symbols/\(OwnedApps.image)",
                    OwnedApps.token(.upload, of: other)), 404, "not_found")
        }
    }

    @Test("data sent with an app's token belongs to that app, whatever app it names")
    func spoofedDiagnostic() async throws {
        try await RunningService.withOwnedApps { service in
            #expect(
                try await service.upload(projectFile(Orchard.dSYM), of: mine) == ["indexed"])
            let sent = try await service.post(
                "/v1/metrickit", crash(), OwnedApps.token(.ingest, of: other))
            #expect(sent.status == 202)
            let record = try fixture("divide-by-zero.otlp.json")
            let request = try ExportLogsServiceRequest(decoding: record, as: .json)
            let body = try request.encoded(as: .protobuf)
            try await service.withCaller { caller in
                let token = OwnedApps.token(.ingest, of: other)["authorization"] ?? ""
                _ = try await caller.export(body, metadata: ["authorization": "\(token)"]).get()
            }
            _ = try await service.post(
                "/v1/logs", record,
                OwnedApps.token(.ingest, of: other).merging(OTLPOverHTTPTests.json) { $1 })
            try await service.drain()
            #expect(!(try await service.exported()).contains(OwnedApps.function))
            #expect(
                try await service.get("/v1/diagnostics", read(mine)).list("diagnostics").isEmpty)
            let rows = try await service.get("/v1/diagnostics", read(other)).list("diagnostics")
            #expect(rows.count == 3)
            for row in rows {
                #expect(row["app"] as? String == other)
                let path = "/v1/diagnostics/\(row["id"] ?? "")?format=text"
                for token in [read(other), read(nil)] {
                    let shown = try await service.get(path, token)
                    #expect(shown.status == 200)
                    #expect(!shown.text.contains(OwnedApps.function))
                }
            }
        }
    }

    @Test("data sent with a token for all apps belongs to the app that it names")
    func namedApp() async throws {
        try await RunningService.withOwnedApps { service in
            #expect(
                try await service.upload(projectFile(Orchard.dSYM), of: mine) == ["indexed"])
            let ingest = OwnedApps.token(.ingest, of: nil)
            let text = String(decoding: try crash(), as: UTF8.self)
            for app in [mine, other] {
                let payload = text.replacingOccurrences(of: mine, with: app)
                #expect(
                    try await service.post("/v1/metrickit", Array(payload.utf8), ingest).status
                        == 202)
            }
            try await service.drain()
            for (app, status) in [(mine, "symbolicated"), (other, "raw")] {
                let rows = try await service.get("/v1/diagnostics", read(app))
                    .list("diagnostics")
                #expect(rows.count == 1)
                #expect((rows.first?["status"] as? String == "raw") == (status == "raw"))
                let id = rows.first?["id"] as? String ?? ""
                let shown = try await service.get("/v1/diagnostics/\(id)?format=text", read(app))
                #expect(shown.text.contains(OwnedApps.function) == (app == mine))
            }
        }
    }

    @Test("a payload is not a duplicate of one that another app's token sent")
    func samePayload() async throws {
        try await RunningService.withOwnedApps { service in
            for app in [other, mine] {
                let answer = try await service.post(
                    "/v1/metrickit", crash(), OwnedApps.token(.ingest, of: app))
                #expect(
                    try answer.object()["ids"] as? [String]
                        == [try OwnedApps.diagnosticID(of: crash(), from: app)])
            }
            try await service.drain()
            for app in [mine, other] {
                let rows = try await service.get("/v1/diagnostics", read(app))
                #expect(try rows.list("diagnostics").count == 1)
            }
        }
    }

    @Test("app metrics count for the app of the token that sent them")
    func figures() async throws {
        try await RunningService.withOwnedApps { service in
            let payload = Array(
                OrchardMetrics.day(
                    version: "1.4.0", firstDraw: [(300, 3)], end: "2026-10-20 23:00:00 +0000"
                ).utf8)
            for app in [other, mine] {
                _ = try await service.post(
                    "/v1/metrickit", payload, OwnedApps.token(.ingest, of: app))
            }
            try await service.drain()
            for app in [mine, other] {
                let versions = try await service.get("/v1/metrics/versions", read(app))
                    .list("versions")
                #expect(versions.map { $0["app"] as? String } == [app])
                #expect(versions.map { $0["payloads"] as? Int } == [1])
            }
        }
    }

    @Test("new symbols resend only the diagnostics that may use them")
    func arrival() async throws {
        try await RunningService.withOwnedApps { service in
            for app in [mine, other] {
                _ = try await service.post(
                    "/v1/metrickit", crash(), OwnedApps.token(.ingest, of: app))
            }
            try await service.drain()
            func waiting(_ app: String) async throws -> Bool {
                try await service.get("/v1/missing", read(app)).list("missing")
                    .contains { $0["uuid"] as? String == OwnedApps.image }
            }
            #expect(try await waiting(mine))
            _ = try await service.upload(OwnedApps.forged("f"), of: other)
            #expect(try await waiting(mine))
            #expect(try await !waiting(other))
            _ = try await service.upload(projectFile(Orchard.dSYM), of: mine)
            #expect(try await !waiting(mine))
        }
    }

    @Test("a file for all apps serves every app, and no app's token can remove it")
    func sharedFile() async throws {
        try await RunningService.withOwnedApps { service in
            let dSYM = try projectFile(Orchard.dSYM)
            let all = OwnedApps.token(.upload, of: nil)
            #expect(try await service.post("/v1/symbols", dSYM, all).status == 201)
            for app in [mine, other, nil] {
                #expect(try await service.lookup(read(app)).contains(OwnedApps.function))
            }
            let path = "/v1/symbols/\(OwnedApps.image)"
            try expectError(
                try await service.send("DELETE", path, OwnedApps.token(.upload, of: mine)), 403,
                "wrong_app")
            #expect(
                try await service.post(
                    "/v1/symbols", OwnedApps.forged("own"), OwnedApps.token(.upload, of: mine)
                ).status == 201)
            #expect(try await service.lookup(read(mine)) == "own")
            #expect(try await service.lookup(read(other)).contains(OwnedApps.function))
            #expect(try await service.send("DELETE", path, all).list("removed").count == 2)
        }
    }

    @Test("a replacement must be requested by true or false")
    func replaceParameter() async throws {
        try await RunningService.run { service in
            try expectError(
                try await service.post("/v1/symbols?replace=yes", library(1)), 400, "bad_replace")
            let form = UploadTests.form([
                ("name=replace", Array("true".utf8)), ("name=f; filename=f", library(1)),
            ])
            for expected in ["stored", "duplicate"] {
                let answer = try await service.post("/v1/symbols", form, UploadTests.multipart)
                #expect(try answer.list("files").map { $0["status"] as? String } == [expected])
            }
        }
    }

    @Test(
        "the command line uploads, replaces, looks up and removes only the files of the token's app"
    )
    func client() async throws {
        let folder = try TestFolder()
        let first = try folder.write(OwnedApps.forged("first"), to: "first")
        // As long as the first name, because a file with more text has a higher quality.
        let second = try folder.write(OwnedApps.forged("other"), to: "second")
        let forged = try folder.write(OwnedApps.forged("forged"), to: "forged")
        try await RunningService.withOwnedApps { service in
            func run(
                _ words: [String], _ scope: TokenScope, _ app: String
            ) async throws -> PeerProcess {
                let header = OwnedApps.token(scope, of: app)["authorization"] ?? ""
                return try await symbolist(
                    words + ["--server", "http://127.0.0.1:\(service.http)"],
                    environment: ["SYMBOLIST_TOKEN": String(header.dropFirst("Bearer ".count))],
                    in: folder)
            }
            func build(_ app: String) -> [String] {
                ["--app", app, "--version", "1.4.0", "--build", "217"]
            }
            func upload(_ path: String, _ app: String) async throws -> Int32 {
                try await run(["upload", path, "--force"] + build(app), .upload, app).status
            }
            func replace(_ path: String, _ app: String) async throws -> Int32 {
                try await run(["symbols", "replace", path] + build(app), .upload, app).status
            }
            let lookup = ["lookup", OwnedApps.image, "16439"]
            #expect(try await upload(first, mine) == 0)
            #expect(try await upload(forged, other) == 0)
            #expect(try await upload(second, mine) == 0)
            #expect(try await run(lookup, .read, mine).output.contains("first"))
            #expect(try await replace(forged, other) == 0)
            #expect(try await run(lookup, .read, mine).output.contains("first"))
            #expect(try await replace(second, mine) == 0)
            #expect(try await run(lookup, .read, mine).output.contains("other"))
            #expect(try await run(lookup, .read, other).output.contains("forged"))
            #expect(
                try await run(["symbols", "replace", second] + build(mine), .upload, other).status
                    == 4)
            let list = try await run(["symbols", "list"], .read, mine)
            #expect(list.output.contains(mine) && !list.output.contains(other))
            let prune = ["symbols", "prune", OwnedApps.image]
            #expect(try await run(prune, .upload, other).status == 0)
            #expect(try await run(lookup, .read, mine).output.contains("other"))
            #expect(try await run(prune, .upload, other).status == 3)
        }
    }
}
