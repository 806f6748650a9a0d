import Foundation
import OTLP
import TestSupport
import Testing

@testable import HTTPService

@Suite("Tokens over HTTP", .ownThreads)
struct TokenTests {
    static let tokens = Tokens([
        .init(token: "in", scopes: [.ingest], app: nil),
        .init(token: "up", scopes: [.upload], app: nil),
        .init(token: "out", scopes: [.read], app: nil),
        .init(token: "mine", scopes: [.upload, .read], app: "a"),
    ])

    static func bearer(_ token: String) -> [String: String] { ["authorization": "Bearer \(token)"] }

    @Test("each endpoint requires its own scope")
    func scopes() async throws {
        let endpoints: [(String, String, Set<String>)] = [
            ("POST", "/v1/metrickit", ["in"]), ("POST", "/v1/symbolicate", ["in", "out"]),
            ("POST", "/v1/lookup", ["out"]),
            ("POST", "/v1/symbols", ["up"]), ("POST", "/v1/symbols/missing", ["up"]),
            ("DELETE", "/v1/symbols/\(identity(1))", ["up"]),
            ("DELETE", "/v1/builds/a/1/2", ["up"]),
            ("GET", "/v1/symbols", ["out"]), ("GET", "/v1/symbols/\(identity(1))", ["out"]),
            ("DELETE", "/v1/systems/22B83", ["up"]), ("GET", "/v1/systems", ["out"]),
            ("GET", "/v1/builds", ["out"]), ("GET", "/v1/missing", ["out"]),
            ("GET", "/v1/diagnostics", ["out"]), ("GET", "/v1/diagnostics/x", ["out"]),
            ("GET", "/metrics", ["out"]), ("GET", "/v1/metrics/versions", ["out"]),
            ("GET", "/v1/metrics/regressions", ["out"]),
        ]
        try await RunningService.run {
            $0.tokens = Self.tokens
        } use: { service in
            for (method, path, allowed) in endpoints {
                let without = try await service.send(method, path)
                try expectError(without, 401, "token_missing")
                #expect(without.header("www-authenticate") == "Bearer")
                try expectError(
                    try await service.send(method, path, Self.bearer("no")), 401,
                    "token_unknown")
                for token in ["in", "up", "out"] {
                    let answer = try await service.send(method, path, Self.bearer(token))
                    if allowed.contains(token) {
                        #expect(![401, 403].contains(answer.status), "\(path) \(token)")
                    } else {
                        try expectError(answer, 403, "scope_missing")
                    }
                }
            }
            for path in ["/healthz", "/readyz"] {
                #expect(try await service.get(path).status == 200)
            }
        }
    }

    @Test("on OTLP paths a refusal is a Status")
    func otlp() async throws {
        try await RunningService.run {
            $0.tokens = Self.tokens
        } use: { service in
            let json = OTLPOverHTTPTests.json
            let without = try await service.post("/v1/logs", Array("{}".utf8), json)
            try OTLPOverHTTPTests.expectStatus(without, 401, .json, "no bearer token")
            #expect(without.header("www-authenticate") == "Bearer")
            try OTLPOverHTTPTests.expectStatus(
                try await service.post(
                    "/v1/logs", [], OTLPOverHTTPTests.protobuf.merging(Self.bearer("up")) { $1 }),
                403,
                .protobuf, "does not have scope 'ingest'")
            let answer = try await service.post(
                "/v1/logs", Array("{}".utf8), json.merging(Self.bearer("in")) { $1 })
            #expect(answer.status == 200)
        }
    }

    @Test("a token for one app cannot access another app's symbols")
    func boundToOneApp() async throws {
        let (mine, all) = (Self.bearer("mine"), Self.bearer("up"))
        try await RunningService.run {
            $0.tokens = Self.tokens
        } use: { service in
            #expect(
                try await service.post("/v1/symbols?app=b&version=1&build=1", library(1), all)
                    .status == 201)
            #expect(
                try await service.post("/v1/symbols?version=1&build=1", library(2), mine).status
                    == 201)
            #expect(try await service.post("/v1/symbols", library(3), mine).status == 201)
            #expect(
                try await service.post("/v1/symbols?app=b&version=1&build=1", library(2), all)
                    .status == 201)
            try expectError(
                try await service.post("/v1/symbols?app=b&version=1&build=1", library(1), mine),
                403,
                "wrong_app")
            let form = UploadTests.form([
                ("name=f; filename=f", library(4)), ("name=app", Array("b".utf8)),
                ("name=version", Array("1".utf8)), ("name=build", Array("1".utf8)),
            ])
            try expectError(
                try await service.post(
                    "/v1/symbols", form, UploadTests.multipart.merging(mine) { $1 }), 403,
                "wrong_app")
            #expect(service.incoming.isEmpty)
            let symbols = try await service.get("/v1/symbols", mine).list("files")
            #expect(Set(symbols.map { $0["uuid"] as? String }) == [identity(2), identity(3)])
            #expect(
                try await service.get("/v1/builds", mine).list("builds")
                    .allSatisfy { $0["app"] as? String == "a" })
            for query in [
                "/v1/symbols?app=b", "/v1/builds?app=b", "/v1/missing?app=b",
                "/v1/diagnostics?app=b",
            ] {
                try expectError(try await service.get(query, mine), 403, "wrong_app")
            }
            try expectError(
                try await service.get("/v1/symbols/\(identity(1))", mine), 404, "not_found")
            try expectError(
                try await service.send("DELETE", "/v1/symbols/\(identity(1))", mine), 404,
                "not_found")
            let removed = try await service.send("DELETE", "/v1/symbols/\(identity(2))", mine)
            #expect(try removed.list("removed").map { $0["app"] as? String } == ["a"])
            let left = try await service.get("/v1/symbols?app=b", Self.bearer("out"))
            #expect(try left.list("files").count == 2)
            try expectError(
                try await service.send("DELETE", "/v1/builds/b/1/1", mine), 403, "wrong_app")
        }
    }

    @Test("a token for one app cannot see another app's diagnostics")
    func diagnostics() async throws {
        try await RunningService.run {
            $0.tokens = Self.tokens
        } use: { service in
            _ = try await service.post(
                "/v1/metrickit", fixture("divide-by-zero.crash.json"), Self.bearer("in"))
            try await service.drain()
            let all = try await service.get("/v1/diagnostics", Self.bearer("out")).list(
                "diagnostics")
            let id = try #require(all.first?["id"] as? String)
            let mine = Self.bearer("mine")
            #expect(try await service.get("/v1/diagnostics", mine).list("diagnostics").isEmpty)
            #expect(try await service.get("/v1/missing", mine).list("missing").isEmpty)
            try expectError(try await service.get("/v1/diagnostics/\(id)", mine), 404, "not_found")
        }
    }
}
