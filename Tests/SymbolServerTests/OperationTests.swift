import Foundation
import Ingest
import TestSupport
import HTTPTypes
import EmbeddedDatabase
import OTLP
import Testing

@testable import SymbolServer

@Suite("Running the service")
struct OperationTests {
    @Test("it is alive, and ready while the journal answers")
    func health() async throws {
        try await RunningService.run { service in
            #expect(try await service.get("/healthz").text == #"{"status":"ok"}"#)
            #expect(try await service.get("/readyz").text == #"{"status":"ready"}"#)
            let head = try await service.send("HEAD", "/healthz")
            #expect(head.status == 200 && head.body.isEmpty)
            try await service.database.close()
            #expect(try await service.get("/healthz").status == 200)
            try expectError(
                try await service.get("/readyz"), 503, "unavailable", "journal: is closed")
        }
    }

    @Test("metrics can be read by Prometheus, and no path that is none makes a label")
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

    @Test("a path that is not there, and a method that is not for it, are told apart")
    func paths() async throws {
        try await RunningService.run { service in
            for path in ["/", "/v1", "/v1/nothing", "/v1/symbols/a/b", "/v2/logs", "/%00", "//"] {
                try expectError(try await service.get(path), 404, "no_such_path")
            }
            let wrong = try await service.send("PUT", "/v1/symbols")
            try expectError(wrong, 405, "wrong_method", "'PUT'")
            #expect(wrong.header("allow") == "GET, HEAD, POST")
            let delete = try await service.send("POST", "/v1/builds/a/1/2")
            try expectError(delete, 405, "wrong_method")
            #expect(delete.header("allow") == "DELETE")
            try expectError(try await service.get("/v1/metrickit"), 405, "wrong_method")
            let logs = try await service.get("/v1/logs")
            try OTLPOverHTTPTests.expectStatus(logs, 405, .json, "'GET' is not for this path")
            #expect(logs.header("allow") == "POST")
        }
    }

    @Test("what stores report becomes an answer that says when to come again")
    func causes() {
        let full = RequestError(JournalError(.full, "journal: disk is full: free some space"))
        #expect(full.status == .serviceUnavailable && full.retryAfter != nil)
        #expect(full.description == "journal: disk is full: free some space")
        let damaged = RequestError(JournalError(.damaged, "journal: is damaged: restore it"))
        #expect(damaged.status == .internalServerError && damaged.retryAfter == nil)
        let stopping = RequestError(CancellationError())
        #expect(stopping.status == .serviceUnavailable && stopping.retryAfter != nil)
        struct Odd: Error {}
        expectSentence(RequestError(Odd()).description)
    }
}
