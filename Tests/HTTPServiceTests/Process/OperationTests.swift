import EmbeddedDatabase
import Foundation
import GRPCCore
import Glibc
import HTTPTypes
import Ingest
import NIOCore
import OTLP
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("Running the service", .ownThreads)
struct OperationTests {
    @Test("it is alive, and ready while the journal is available")
    func health() async throws {
        try await RunningService.run { service in
            #expect(try await service.get("/healthz").text == #"{"status":"ok"}"#)
            #expect(try await service.get("/readyz").text == #"{"status":"ready"}"#)
            let head = try await service.send("HEAD", "/healthz")
            #expect(head.status == 200 && head.body.isEmpty)
            try await service.database.close()
            #expect(try await service.get("/healthz").status == 200)
            try await Self.expectNotReady(service, "writes_refused", "journal: is closed")
        }
    }

    private static func expectNotReady(
        _ service: RunningService, _ code: String, _ message: String
    ) async throws {
        let answer = try await service.get("/readyz")
        #expect(answer.status == 503)
        let object = try answer.object()
        #expect(object["status"] as? String == "not_ready")
        let reasons = try answer.list("reasons")
        #expect(reasons.first?["code"] as? String == code, "\(answer.text)")
        let text = reasons.first?["message"] as? String ?? ""
        #expect(text.contains(message), "\(text)")
        let error = object["error"] as? [String: String]
        #expect(error?["code"] == "not_ready" && error?["message"] == text)
    }

    @Test("it is not ready while writes are refused, and ready again when they are not")
    func writesRefused() async throws {
        var settings = IngestFlow.Settings()
        settings.queueBytesLimit = 1
        try await RunningService.run(ingest: settings) { service in
            let body = try OTLPOverHTTPTests.request()
            _ = try await service.database.cursor(of: "slow")
            #expect(
                try await service.post("/v1/logs", body, OTLPOverHTTPTests.protobuf).status == 200)
            try await Self.expectNotReady(service, "writes_refused", "queue: holds")
            try await service.drain()
            try await service.database.advance("slow", to: 1)
            #expect(try await service.get("/readyz").status == 200)

            service.journal.refuse(
                JournalError(
                    .full, Problem("journal", detail: "disk is full", suggestion: "free some space")
                ))
            #expect(
                try await service.post("/v1/logs", body, OTLPOverHTTPTests.protobuf).status == 503)
            try await Self.expectNotReady(service, "writes_refused", "disk is full")
            service.journal.refuse(nil)
            #expect(
                try await service.post("/v1/logs", body, OTLPOverHTTPTests.protobuf).status == 200)
            try await service.drain()
            try await service.database.advance("slow", to: 2)
            #expect(try await service.get("/readyz").status == 200)
        }
    }

    @Test(
        "a queue that an orphaned reader fills is logged repeatedly, with the reader and a remedy")
    func orphanedReader() async throws {
        let folder = try TestFolder()
        let anyPorts = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
        let limit = ["--set", "limits.queue_bytes=1"]
        let first = try ServedProcess(
            anyPorts + limit + [
                "--set", "export.0.url=http://127.0.0.1:1", "--set", "export.0.name=old",
            ], folder: folder)
        let firstPort = try #require(await first.port("grpc: listening"))
        #expect(try await Self.export(to: firstPort).status == "0")
        // The worker has processed the record once the exporter fails to send it.
        _ = try #require(await first.line("exporter 'old'"))
        first.signal(SIGTERM)
        #expect(await first.end().status == 0)

        let second = try ServedProcess(anyPorts + limit, folder: folder)
        let port = try #require(await second.port("grpc: listening"))
        for _ in 0..<10 { #expect(try await Self.export(to: port).status == "14") }
        try await Task.sleep(for: WarningThrottle.interval)
        #expect(try await Self.export(to: port).status == "14")
        second.signal(SIGTERM)
        let lines = await second.end().lines.filter { $0.contains("warning") }
            .filter { $0.contains("queue: holds") }
        // Fewer than the calls, unless each of them takes as long as the interval.
        #expect(lines.count >= 2, "\(lines)")
        for line in lines {
            #expect(line.contains("'old'") && line.contains("symbolist exporters drop"), "\(line)")
        }
    }

    private static func export(to port: Int) async throws -> RawHTTP2.Ending {
        var client = try await RawHTTP2.open(port: port)
        try await client.call(1)
        try await client.data(
            1, RawHTTP2.message(try OTLPOverHTTPTests.request()), isWhole: true)
        let ending = await client.ending(of: 1, isWhole: true)
        await client.close()
        return ending
    }

    @Test("gRPC calls are counted by method and outcome, including refused ones")
    func grpcMetrics() async throws {
        _ = metrics
        try await RunningService.run {
            $0.tokens = TokenTests.tokens
        } use: { service in
            try await service.withCaller { caller in
                _ = try await caller.export([], metadata: ["authorization": "Bearer in"])
                _ = try await caller.export([])
                _ = try await caller.export(
                    [1], metadata: ["authorization": "Bearer in"])
            }
            let counted = await eventually {
                guard let text = try? await service.get("/metrics", TokenTests.bearer("out")).text,
                    let exposition = try? Exposition(text)
                else { return false }
                let method = "opentelemetry.proto.collector.logs.v1.LogsService/Export"
                return ["ok", "unauthenticated", "invalid_argument"].allSatisfy { code in
                    (exposition.value(
                        "symbolist_grpc_requests_total", ["method": method, "code": code]) ?? 0) > 0
                } && exposition.families["symbolist_grpc_request_seconds"]?.kind == "histogram"
            }
            #expect(counted)
        }
    }

    @Test("metrics are valid for Prometheus, and unknown paths create no labels")
    func metricsText() async throws {
        _ = metrics
        try await RunningService.run { service in
            for number in 0..<20 { _ = try await service.get("/nowhere/\(number)") }
            _ = try await service.get("/v1/symbols/\(identity(1))")
            _ = try await service.send("PUT", "/v1/symbols")
            let answer = try await service.get("/metrics")
            #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            let exposition = try Exposition(answer.text)
            let samples = try #require(exposition.families["symbolist_http_requests_total"]).samples
            let routes = Set(samples.flatMap(\.labels).filter { $0.name == "route" }.map(\.value))
            #expect(routes.contains("none"))
            #expect(
                routes.isSuperset(of: ["/v1/symbols/{uuid}"])
                    || routes.contains("/v1/symbols/:uuid"), "\(routes)")
            #expect(!routes.contains { $0.contains("nowhere") || $0.contains(identity(1)) })
            #expect(exposition.families["symbolist_http_request_seconds"]?.kind == "histogram")
        }
    }

    @Test("an unknown path and a wrong method are distinguished")
    func paths() async throws {
        try await RunningService.run { service in
            for path in [
                "/nothing", "/v1", "/v1/nothing", "/v1/symbols/a/b", "/v2/logs", "/%00",
            ] {
                let answer = try await service.send(
                    "GET", path, ["accept": "application/json"])
                try expectError(answer, 404, "no_such_path")
            }
            let wrong = try await service.send("PUT", "/v1/symbols")
            try expectError(wrong, 405, "wrong_method", "'PUT'")
            #expect(wrong.header("allow") == "GET, HEAD, POST")
            let delete = try await service.send("POST", "/v1/builds/a/1/2")
            try expectError(delete, 405, "wrong_method")
            #expect(delete.header("allow") == "DELETE")
            try expectError(try await service.get("/v1/metrickit"), 405, "wrong_method")
            let logs = try await service.get("/v1/logs")
            try OTLPOverHTTPTests.expectStatus(
                logs, 405, .json, "'GET' is not allowed for this path")
            #expect(logs.header("allow") == "POST")
        }
    }

    @Test("a constant path has only its own methods, although a parameter matches it")
    func constantPaths() async throws {
        try await RunningService.run { service in
            for method in ["GET", "DELETE"] {
                let answer = try await service.send(method, "/v1/symbols/missing")
                try expectError(answer, 405, "wrong_method", "use POST")
                #expect(answer.header("allow") == "POST")
            }
            try expectError(try await service.get("/v1/symbols/\(identity(9))"), 404, "not_found")
            for (method, path, allowed) in [
                ("GET", "/projects/o/p/files/difs/assemble", "POST"),
                ("PUT", "/organizations/o/chunk-upload", "GET, HEAD, POST"),
            ] {
                let answer = try await service.send(method, "/api/0\(path)")
                #expect(answer.status == 405)
                #expect(answer.header("allow") == allowed)
            }
            // The route of Mozilla's symbol servers, `/:name/:id/:file`, does not get this path.
            for method in ["GET", "POST"] {
                let answer = try await service.send(method, "/api/0/organizations")
                #expect(answer.status == 404)
                #expect(answer.header("allow") == nil)
            }
        }
    }

    @Test("errors of stores become responses with a retry delay")
    func causes() {
        let full = RequestError(
            JournalError(
                .full, Problem("journal", detail: "disk is full", suggestion: "free some space")))
        #expect(full.status == .serviceUnavailable && full.retryAfter != nil)
        #expect(full.description == "journal: disk is full: free some space")
        let damaged = RequestError(
            JournalError(
                .damaged, Problem("journal", detail: "is damaged", suggestion: "restore it")))
        #expect(damaged.status == .internalServerError && damaged.retryAfter == nil)
        let stopping = RequestError(CancellationError())
        #expect(stopping.status == .serviceUnavailable && stopping.retryAfter != nil)
        struct Odd: Error {}
        expectSentence(RequestError(Odd()).description)
    }

    @Test("a write that fails on a full disk is named to the client, whichever library failed")
    func fullDisk() {
        let errors: [any Error] = [
            IOError(errnoCode: ENOSPC, reason: "write"), CocoaError(.fileWriteOutOfSpace),
            POSIXError(.ENOSPC),
        ]
        for error in errors {
            let failure = RequestError(error)
            #expect(failure.status == .serviceUnavailable && failure.retryAfter != nil)
            #expect(failure.description == "service: no space left on device: free some space")
            #expect(failure.rpcErrorCode == .unavailable)
            #expect(failure.rpcErrorMessage == failure.description)
        }
        let other = RequestError(IOError(errnoCode: EIO, reason: "write"))
        #expect(other.status == .internalServerError)
        #expect(other.description.contains("read or write failed"))
    }

    @Test("warnings about one cause are limited by the code and the subject of the error")
    func causeOfWarnings() {
        let full = Problem("journal: a", detail: "disk is full", suggestion: "free some space")
        #expect(RequestError.unavailable(full, retryAfter: 1).cause == "unavailable journal: a")
    }
}
