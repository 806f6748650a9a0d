import Decompression
import Foundation
import Ingest
import OTLP
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("OTLP over HTTP", .ownThreads)
struct OTLPOverHTTPTests {
    static let protobuf = ["content-type": "application/x-protobuf"]
    static let json = ["content-type": "application/json"]

    static func request() throws -> [UInt8] {
        try ExportLogsServiceRequest(decoding: fixture("divide-by-zero.otlp.json"), as: .json)
            .encoded(as: .protobuf)
    }

    /// Expects a `Status` in an encoding.
    static func expectStatus(
        _ answer: Answer, _ code: Int, _ encoding: OTLPEncoding, _ message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == code, sourceLocation: sourceLocation)
        #expect(answer.header("content-type") == encoding.mediaType, sourceLocation: sourceLocation)
        let status = try OTLPStatus(decoding: answer.body, as: encoding)
        #expect(status.code > 0, sourceLocation: sourceLocation)
        #expect(
            status.message.contains(message), "\(status.message)", sourceLocation: sourceLocation)
        expectSentence(status.message, sourceLocation: sourceLocation)
    }

    @Test("protobuf is stored unchanged, including unknown fields")
    func keepsProtobuf() async throws {
        try await RunningService.run { service in
            // Field 99 of a later version of OTLP, a varint.
            let body = try Self.request() + [0x98, 0x06, 0x2a]
            let answer = try await service.post("/v1/logs", body, Self.protobuf)
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "application/x-protobuf")
            #expect(answer.body == [])
            let entries = try await service.entries()
            #expect(entries.map(\.draft.body) == [body])
            #expect(entries.map(\.draft.kind) == [.logs])
        }
    }

    @Test("JSON is stored as the equivalent protobuf, with ids in hexadecimal digits")
    func keepsJSON() async throws {
        let body = """
            {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"7","severityNumber":17,\
            "traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"eee19b7ec3c1b174",\
            "body":{"stringValue":"started"},"ofALaterVersion":{"a":[1]}}]}]}]}
            """
        try await RunningService.run { service in
            let answer = try await service.post(
                "/v1/logs", Array(body.utf8), ["content-type": "application/json; charset=utf-8"])
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
            #expect(answer.header("content-type") == "application/json")
            let kept = try #require(try await service.entries().first).draft.body
            let request = try ExportLogsServiceRequest(decoding: kept, as: .protobuf)
            let record = try #require(
                request.resourceLogs.first?.scopeLogs.first?.logRecords.first)
            #expect(record.traceID.map { $0 }.prefix(3) == [0x5b, 0x8e, 0xff])
            #expect(record.spanID.count == 8)
            #expect(record.severityNumber.rawValue == 17)
            #expect(record.timeUnixNano == 7)
        }
    }

    @Test("traces and metrics are stored unchanged", arguments: ["traces", "metrics"])
    func otherSignals(name: String) async throws {
        try await RunningService.run { service in
            let answer = try await service.post("/v1/\(name)", [0x0a, 0x00], Self.protobuf)
            #expect(answer.status == 200)
            let entry = try #require(try await service.entries().first)
            #expect(entry.draft.body == [0x0a, 0x00])
            #expect("\(entry.draft.kind)" == name)
        }
    }

    @Test("bodies may be compressed", arguments: ["gzip", "x-gzip", "GZIP", "deflate", "identity"])
    func compressed(coding: String) async throws {
        let body = try Self.request()
        let sent =
            switch coding {
            case "deflate": zlibStream(body)
            case "identity": body
            default: try CompressedBody(gzipping: body).bytes
            }
        try await RunningService.run { service in
            let answer = try await service.post(
                "/v1/logs", sent, Self.protobuf.merging(["content-encoding": coding]) { $1 })
            #expect(answer.status == 200)
            #expect(try await service.entries().map(\.draft.body) == [body])
        }
    }

    @Test("an invalid request is rejected in its own encoding, and nothing is stored")
    func malformed() async throws {
        let gzip = Self.protobuf.merging(["content-encoding": "gzip"]) { $1 }
        let badID = """
            {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"zz"}]}]}]}
            """
        try await RunningService.run { service in
            let text = Array("hello".utf8)
            for path in ["/v1/logs", "/v1/traces", "/v1/metrics"] {
                try Self.expectStatus(
                    try await service.post(path, text, Self.protobuf), 400, .protobuf,
                    "is truncated or not protobuf")
                try Self.expectStatus(
                    try await service.post(path, text, Self.json), 400, .json, "JSON")
            }
            try Self.expectStatus(
                try await service.post("/v1/logs", Array(Self.request().dropLast()), Self.protobuf),
                400, .protobuf, "is truncated")
            try Self.expectStatus(
                try await service.post("/v1/logs", [], Self.json), 400, .json, "logs request")
            try Self.expectStatus(
                try await service.post("/v1/logs", Array(badID.utf8), Self.json), 400, .json,
                "traceId")
            let packed = try CompressedBody(gzipping: Self.request()).bytes
            for sent in [text, Array(packed.dropLast(9))] {
                try Self.expectStatus(
                    try await service.post("/v1/logs", sent, gzip), 400, .protobuf,
                    "gzip body: is corrupt or truncated")
            }
            try Self.expectStatus(
                try await service.post(
                    "/v1/logs", text, Self.json.merging(["content-encoding": "br"]) { $1 }), 415,
                .json, "'br' is not supported")
            try Self.expectStatus(
                try await service.post("/v1/logs", text, ["content-type": "text/plain"]), 415,
                .json, "'text/plain' is not an OTLP encoding")
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("an empty request succeeds and creates no entry")
    func empty() async throws {
        try await RunningService.run { service in
            let none = try await service.post("/v1/logs", [], Self.protobuf)
            #expect(none.status == 200)
            let empty = try await service.post("/v1/logs", Array("{}".utf8), Self.json)
            #expect(empty.status == 200)
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("a body above the limit is rejected, compressed or not, and so are too many messages")
    func tooLarge() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1 << 20
        } use: { service in
            let zeros = [UInt8](repeating: 0, count: 64 << 20)
            try Self.expectStatus(
                try await service.post(
                    "/v1/logs", [UInt8](zeros.prefix(1 << 20 + 1)), Self.protobuf),
                413, .protobuf, "larger than 1048576 bytes")
            let bomb = try CompressedBody(gzipping: zeros).bytes
            for (coding, bytes) in [
                ("gzip", bomb), ("deflate", zlibStream(Array(zeros.prefix(2 << 20)))),
            ] {
                let headers = Self.json.merging(["content-encoding": coding]) { $1 }
                try Self.expectStatus(
                    try await service.post("/v1/logs", bytes, headers), 413, .json, "body")
            }
            #expect(try await service.entries().isEmpty)
        }
        try await RunningService.run { service in
            // Each pair of bytes is an empty resource.
            let many = repeated([0x0a, 0x00], beyond: OTLPLimits.messageCount)
            try Self.expectStatus(
                try await service.post("/v1/logs", many, Self.protobuf), 413, .protobuf,
                "has more than")
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("a request of 64 MiB is stored")
    func large() async throws {
        var value = AnyValue()
        value.bytesValue = Data(repeating: 7, count: 64 << 20 - 100)
        var record = LogRecord()
        record.body = value
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [ResourceLogs()]
        request.resourceLogs[0].scopeLogs = [ScopeLogs()]
        request.resourceLogs[0].scopeLogs[0].logRecords = [record]
        let body = try request.encoded(as: .protobuf)
        #expect(body.count > 64 << 20 - 100 && body.count <= 64 << 20)
        try await RunningService.run { service in
            let answer = try await service.post("/v1/logs", body, Self.protobuf)
            #expect(answer.status == 200)
            let entry = try #require(try await service.entries().first)
            #expect(entry.draft.body == body)
        }
    }

    @Test("a full queue rejects requests before storing them, with a retry delay")
    func fullQueue() async throws {
        var settings = IngestFlow.Settings()
        settings.queueBytesLimit = 1
        try await RunningService.run(ingest: settings) { service in
            let body = try Self.request()
            #expect(try await service.post("/v1/logs", body, Self.protobuf).status == 200)
            for (headers, encoding) in [(Self.protobuf, OTLPEncoding.protobuf), (Self.json, .json)]
            {
                let answer = try await service.post("/v1/logs", body, headers)
                try Self.expectStatus(answer, 503, encoding, "queue: holds")
                #expect(answer.header("retry-after") == "5")
            }
            let payload = try await service.post(
                "/v1/metrickit", fixture("divide-by-zero.crash.json"))
            try expectError(payload, 503, "unavailable", "queue: holds")
            #expect(payload.header("retry-after") == "5")
            #expect(try await service.entries().count == 1)
        }
    }

    @Test("requests that arrive faster than they are processed are rejected after a wait")
    func backpressure() async throws {
        try await RunningService.run(ingest: .behindAfterOne) { service in
            let body = try Self.request()
            #expect(try await service.post("/v1/logs", body, Self.protobuf).status == 200)
            let answer = try await service.post("/v1/logs", body, Self.protobuf)
            try Self.expectStatus(answer, 503, .protobuf, "queue: requests arrive faster")
            #expect(answer.header("retry-after") == "5")
            let payload = try fixture("divide-by-zero.crash.json")
            let refusal = try await service.post("/v1/metrickit", payload)
            try expectError(refusal, 503, "unavailable", "queue: requests arrive faster")
            #expect(refusal.header("retry-after") == "5")
            #expect(try await service.entries().count == 1)
            try await service.drain()
            #expect(try await service.post("/v1/metrickit", payload).status == 202)
        }
    }

    @Test("a full disk rejects requests until there is space again")
    func fullDisk() async throws {
        try await RunningService.run { service in
            let body = try Self.request()
            service.journal.refuse(
                JournalError(
                    .full,
                    Problem(
                        "journal", detail: "disk is full", suggestion: "free some space in '/data'")
                ))
            let answer = try await service.post("/v1/logs", body, Self.protobuf)
            try Self.expectStatus(answer, 503, .protobuf, "journal: disk is full: free some space")
            #expect(answer.header("retry-after") != nil)
            service.journal.refuse(nil)
            #expect(try await service.post("/v1/logs", body, Self.protobuf).status == 200)
        }
    }
}
