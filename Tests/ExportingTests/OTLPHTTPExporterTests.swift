import Exporting
import Foundation
import GRPCCore
import NIOSSL
import OTLP
import TestSupport
import Testing

@testable import Ingest

@Suite("OTLP over HTTP", .ownThreads)
struct OTLPHTTPExporterTests {
    private static let taken = ExportOutcome.accepted(rejectedCount: 0, message: "")

    /// Returns the outcome of a batch for a response.
    private func outcome(
        of batch: ExportBatch = Records.logs(["a"]), _ reply: HTTPReceiver.Reply
    ) async throws -> ExportOutcome {
        try await HTTPReceiver.run { _ in
            reply
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "http://127.0.0.1:\(port)"
            } use: {
                await $0.send(batch)
            }
        }
    }

    @Test("each signal is sent to its own path, byte for byte, with the headers of the settings")
    func success() async throws {
        let received = Collected<HTTPReceiver.Received>()
        let batches = [Records.logs(["a", "b"]), Records.spans(["c"]), Records.metrics(["d"])]
        try await HTTPReceiver.run {
            received.add($0)
            return .init()
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "http://127.0.0.1:\(port)/tenant/"
                $0.headers = ["Authorization": "Bearer x"]
            } use: { exporter in
                for batch in batches { #expect(await exporter.send(batch) == Self.taken) }
            }
        }
        #expect(
            received.all.map(\.path)
                == ["/tenant/v1/logs", "/tenant/v1/traces", "/tenant/v1/metrics"])
        #expect(received.all.map(\.body) == batches.map(\.body))
        for request in received.all {
            #expect(request.header("content-type") == "application/x-protobuf")
            #expect(request.header("authorization") == "Bearer x")
            #expect(request.header("content-encoding") == nil)
        }
    }

    @Test("the requests of several entries are sent as one", arguments: [false, true])
    func severalRequests(compresses: Bool) async throws {
        let received = Collected<HTTPReceiver.Received>()
        var batches = CoalescedBatch(Records.logs(["a"]), entry: 1)
        batches.append(Records.logs(["b", "c"]), entry: 2)
        let batch = batches.batch
        try await HTTPReceiver.run {
            received.add($0)
            return .init()
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "http://127.0.0.1:\(port)"
                $0.compression = compresses ? .gzip : .none
            } use: { exporter in
                #expect(await exporter.send(batch) == Self.taken)
            }
        }
        #expect(received.all.count == 1)
        let body = try #require(try received.all.first?.plainBody())
        #expect(try Records.names(body) == ["a", "b", "c"])
        #expect(body.count == batch.byteCount)
    }

    @Test("the URL of a signal is used unchanged, and so are escapes in the path of all signals")
    func signalURL() async throws {
        let received = Collected<HTTPReceiver.Received>()
        try await HTTPReceiver.run {
            received.add($0)
            return .init()
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "http://127.0.0.1:\(port)/a%2Fb"
                $0.signalURLs[.logs] = "http://127.0.0.1:\(port)/ingest/otlp?key=7"
            } use: { exporter in
                #expect(await exporter.send(Records.logs(["a"])) == Self.taken)
                #expect(await exporter.send(Records.spans(["b"])) == Self.taken)
            }
        }
        #expect(received.all.map(\.path) == ["/ingest/otlp?key=7", "/a%2Fb/v1/traces"])
    }

    @Test("gzip is inflated to the same bytes")
    func gzip() async throws {
        let received = Collected<HTTPReceiver.Received>()
        let batch = Records.logs((0..<500).map { "record \($0)" })
        try await HTTPReceiver.run {
            received.add($0)
            return .init()
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "http://127.0.0.1:\(port)"
                $0.compression = .gzip
            } use: { exporter in
                #expect(await exporter.send(batch) == Self.taken)
            }
        }
        let request = try #require(received.all.first)
        #expect(request.header("content-encoding") == "gzip")
        #expect(request.body.count < batch.body.count / 2)
        #expect(try request.plainBody() == batch.body)
    }

    @Test(
        "rejected records are counted, in both encodings",
        arguments: OTLPEncoding.allCases)
    func partialSuccess(encoding: OTLPEncoding) async throws {
        var logs = ExportLogsServiceResponse()
        logs.partialSuccess.rejectedLogRecords = 3
        logs.partialSuccess.errorMessage = "too\nold"
        let headers = ["content-type": encoding.mediaType + "; charset=utf-8"]
        #expect(
            try await outcome(.init(headers: headers, body: try logs.encoded(as: encoding)))
                == .accepted(rejectedCount: 3, message: "too old"))
        var spans = ExportTraceServiceResponse()
        spans.partialSuccess.rejectedSpans = 2
        #expect(
            try await outcome(
                of: Records.spans(["a"]),
                .init(headers: headers, body: try spans.encoded(as: encoding)))
                == .accepted(rejectedCount: 2, message: ""))
        var metrics = ExportMetricsServiceResponse()
        metrics.partialSuccess.rejectedDataPoints = 1
        #expect(
            try await outcome(
                of: Records.metrics(["a"]),
                .init(headers: headers, body: try metrics.encoded(as: encoding)))
                == .accepted(rejectedCount: 1, message: ""))
    }

    @Test(
        "a batch with an unreadable response is accepted",
        arguments: [6, 5 << 20])
    func unreadable(byteCount: Int) async throws {
        let body = [UInt8](repeating: 0xff, count: byteCount)
        #expect(try await outcome(.init(body: body)) == Self.taken)
    }

    @Test("the statuses that OTLP lists are transient", arguments: [429, 502, 503, 504])
    func transient(status: Int) async throws {
        guard case .retry(let reason, let wait) = try await outcome(.init(status: status)) else {
            Issue.record("is not tried again")
            return
        }
        #expect(reason.hasPrefix("\(status) "))
        #expect(wait == nil)
    }

    @Test("the receiver's delay is read", arguments: ["retry-after", "Retry-After"])
    func retryAfter(header: String) async throws {
        let reply = HTTPReceiver.Reply(status: 503, headers: [header: "17"])
        guard case .retry(_, let wait) = try await outcome(reply) else {
            Issue.record("is not tried again")
            return
        }
        #expect(wait == 17)
    }

    @Test(
        "all others are refusals, some of them for the content",
        arguments: [
            400: true, 401: false, 403: false, 404: false, 405: false, 408: false, 413: true,
            500: false, 501: false,
        ])
    func permanent(status: Int, isForContent: Bool) async throws {
        guard
            case .refused(let reason, isForContent, nil) = try await outcome(.init(status: status))
        else {
            Issue.record("is not refused so")
            return
        }
        #expect(reason.hasPrefix("\(status) "))
    }

    @Test("a refusal may have a delay")
    func retryAfterRefusal() async throws {
        let reply = HTTPReceiver.Reply(status: 408, headers: ["retry-after": "3"])
        #expect(
            try await outcome(reply)
                == .refused(reason: "408 Request Timeout", isForContent: false, after: 3))
    }

    @Test("the receiver's message is in the reason", arguments: OTLPEncoding.allCases)
    func message(encoding: OTLPEncoding) async throws {
        let status = OTLPStatus(.invalidArgument, "record 4: no time\u{7}")
        let reply = HTTPReceiver.Reply(
            status: 400, headers: ["content-type": encoding.mediaType],
            body: try status.encoded(as: encoding))
        #expect(
            try await outcome(reply)
                == .refused(reason: "400 Bad Request: record 4: no time ", isForContent: true))
    }

    @Test("a redirect is reported and not followed")
    func redirect() async throws {
        let reply = HTTPReceiver.Reply(status: 308, headers: ["location": "https://elsewhere/"])
        #expect(
            try await outcome(reply)
                == .refused(
                    reason: "308 Permanent Redirect: moved to 'https://elsewhere/': "
                        + "set the url to that", isForContent: false))
    }

    @Test("an unreachable receiver is transient")
    func refusedConnection() async throws {
        let port = try await HTTPReceiver.run { _ in
            .init()
        } use: {
            $0
        }
        let batch = Records.logs(["a"])
        let before = try await withExporter(.otlpHTTP) {
            $0.url = "http://127.0.0.1:\(port)"
        } use: {
            await $0.send(batch)
        }
        guard case .retry = before else {
            Issue.record("is not tried again: \(before)")
            return
        }
    }

    @Test("an unknown host name is transient")
    func unknownName() async throws {
        let outcome = try await withExporter(.otlpHTTP) {
            $0.url = "http://receiver.invalid:4318"
            $0.timeout = .seconds(2)
        } use: {
            await $0.send(Records.logs(["a"]))
        }
        guard case .retry = outcome else {
            Issue.record("is not tried again: \(outcome)")
            return
        }
    }

    @Test("a response that does not come in time is a timeout")
    func timeout() async throws {
        let outcome = try await HTTPReceiver.run { _ in
            try? await Task.sleep(for: .seconds(600))
            return .init()
        } use: { port in
            try await send(to: port, within: .milliseconds(100))
        }
        #expect(outcome == .timedOut(reason: "127.0.0.1: timed out waiting for a response"))
    }

    @Test(
        "the body of a response is part of the timeout, and the status determines the outcome",
        arguments: ["200 OK", "503 Service Unavailable"], ["", "x"])
    func stalledBody(status: String, repeated: String) async throws {
        let start = "HTTP/1.1 \(status)\r\ncontent-length: 1000000\r\n\r\n"
        let outcome = try await StallingReceiver.run(start: start, repeated: repeated) { port in
            try await send(to: port, within: .seconds(1))
        }
        if status == "200 OK" {
            #expect(outcome == Self.taken)
        } else {
            #expect(outcome == .retry(reason: "503 Service Unavailable", after: nil))
        }
    }

    @Test("a body that is too large is not read, and the status determines the outcome")
    func endlessBody() async throws {
        let start = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        let chunk = String(repeating: "x", count: 1 << 16)
        let outcome = try await StallingReceiver.run(
            start: start, repeated: "10000\r\n\(chunk)\r\n"
        ) { port in
            try await send(to: port, within: .seconds(600))
        }
        #expect(outcome == Self.taken)
    }

    /// Sends a batch, and again with ten times the limit if even the connection exceeds it, as on a
    /// machine that runs all tests at once.
    private func send(to port: Int, within limit: Duration) async throws -> ExportOutcome {
        let outcome = try await withExporter(.otlpHTTP) {
            $0.url = "http://127.0.0.1:\(port)"
            $0.timeout = limit
        } use: {
            await $0.send(Records.logs(["a"]))
        }
        guard outcome == .retry(reason: "127.0.0.1: connection timed out", after: nil),
            limit < .seconds(60)
        else { return outcome }
        return try await send(to: port, within: limit * 10)
    }

    @Test("a cancelled send ends")
    func cancelled() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let outcome = try await HTTPReceiver.run { _ in
            arrival.yield()
            try? await Task.sleep(for: .seconds(600))
            return .init()
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "http://127.0.0.1:\(port)"
                $0.timeout = .seconds(600)
            } use: { exporter in
                let send = Task { await exporter.send(Records.logs(["a"])) }
                for await _ in arrivals { break }
                send.cancel()
                return await send.value
            }
        }
        guard case .retry = outcome else {
            Issue.record("counts as done: \(outcome)")
            return
        }
    }
}
