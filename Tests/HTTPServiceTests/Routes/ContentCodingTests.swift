import Decompression
import Ingest
import OTLP
import TestSupport
import Testing

@testable import HTTPService

@Suite("Content types and codings", .ownThreads)
struct ContentCodingTests {
    private static let protobuf = ["content-type": "application/x-protobuf"]

    private static func zstd(_ bytes: [UInt8]) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        var all: [UInt8] = []
        try compressor.add(bytes.span, isLast: true) { piece in
            unsafe piece.withUnsafeBufferPointer { unsafe all.append(contentsOf: $0) }
        }
        return all
    }

    @Test("zstd bodies have the same limits as gzip")
    func zstd() async throws {
        let headers = Self.protobuf.merging(["content-encoding": "zstd"]) { $1 }
        try await RunningService.run {
            $0.bodyLimit = 100_000
        } use: { service in
            // Field 99, bytes.
            let body = [0x9a, 0x06, 0x80, 0x80, 0x04] + [UInt8](repeating: 7, count: 1 << 16)
            let answer = try await service.post("/v1/logs", Self.zstd(body), headers)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await service.entries().map(\.draft.body) == [body])
            let bomb = try Self.zstd([UInt8](repeating: 0, count: 100_001))
            #expect(try await service.post("/v1/logs", bomb, headers).status == 413)
            let cut = try Array(Self.zstd(body).dropLast())
            #expect(try await service.post("/v1/logs", cut, headers).status == 400)
            // A frame that requires a window of 16 MiB.
            let window: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x01, 0x00, 0x00]
            #expect(try await service.post("/v1/logs", window, headers).status == 400)
            #expect(try await service.entries().count == 1)
        }
    }

    @Test("an upload may be compressed with zstd")
    func upload() async throws {
        try await RunningService.run { service in
            let answer = try await service.post(
                "/v1/symbols", Self.zstd(library(1)), ["content-encoding": "zstd"])
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test("a body may expand as much as an archive, and no more")
    func expansion() async throws {
        try await RunningService.run { service in
            let bomb = try Self.zstd([UInt8](repeating: 0, count: 65 << 20))
            try expectError(
                try await service.post("/v1/symbols", bomb, ["content-encoding": "zstd"]), 413,
                "bundle_too_large")
            #expect(service.incoming.isEmpty)
        }
    }

    @Test(
        "both media types of protobuf are accepted in any case and with parameters, and repeated in the response",
        arguments: [
            ("application/x-protobuf", "application/x-protobuf"),
            ("application/protobuf", "application/protobuf"),
            ("Application/Protobuf ; charset=utf-8", "application/protobuf"),
            ("application/x-protobuf;proto=a.b", "application/x-protobuf"),
        ])
    func protobufNames(name: String, answered: String) async throws {
        try await RunningService.run { service in
            let answer = try await service.post("/v1/logs", [0x0a, 0x00], ["content-type": name])
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == answered)
            let refusal = try await service.post("/v1/logs", [0xff], ["content-type": name])
            #expect(refusal.status == 400)
            #expect(refusal.header("content-type") == answered)
            #expect(try OTLPStatus(decoding: refusal.body, as: .protobuf).code == 3)
        }
    }

    @Test(
        "an enumeration value that does not fit in 32 bits is rejected with the name of its field",
        arguments: [
            (
                "/v1/logs",
                #"{"resourceLogs":[{"scopeLogs":[{"logRecords":["#
                    + #"{"severityNumber":4611686018427387904}]}]}]}"#, "severityNumber"
            ),
            (
                "/v1/traces", #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":1e18}]}]}]}"#,
                "spans[0].kind"
            ),
            (
                "/v1/metrics",
                #"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":"#
                    + #"{"aggregationTemporality":-4611686018427387904}}]}]}]}"#,
                "sum.aggregationTemporality"
            ),
        ])
    func wideEnumerations(path: String, body: String, field: String) async throws {
        try await RunningService.run { service in
            let answer = try await service.post(path, Array(body.utf8), OTLPOverHTTPTests.json)
            try OTLPOverHTTPTests.expectStatus(answer, 400, .json, field)
            #expect(try await service.entries().isEmpty)
        }
    }
}
