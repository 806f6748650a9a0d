import Exporting
import GRPCCore
import GRPCNIOTransportHTTP2
import GRPCProtobuf
import Ingest
import OTLP
import TestSupport
import Testing

@Suite("OTLP over gRPC", .ownThreads)
struct OTLPGRPCExporterTests {
    /// Returns the outcome of a batch for which the receiver returns an error.
    private func outcome(_ error: any Error & Sendable) async throws -> ExportOutcome {
        try await GRPCReceiver.run { _ in
            throw error
        } use: { port in
            try await withExporter(.otlpGRPC) {
                $0.url = "http://127.0.0.1:\(port)"
            } use: {
                await $0.send(Records.logs(["a"]))
            }
        }
    }

    @Test("each signal is sent to its own service", arguments: ["127.0.0.1", "localhost"])
    func success(host: String) async throws {
        let received = Collected<GRPCReceiver.Received>()
        try await GRPCReceiver.run {
            received.add($0)
            return ExportLogsServiceResponse()
        } use: { port in
            try await withExporter(.otlpGRPC) {
                $0.url = "http://\(host):\(port)/"
                $0.headers = ["X-Tenant": "seven"]
            } use: { exporter in
                #expect(await exporter.send(Records.logs(["a", "b"])) == taken)
                #expect(
                    await exporter.send(Records.spans(["c", "d", "e"]))
                        == .accepted(rejectedCount: 3, message: ""))
                #expect(
                    await exporter.send(Records.metrics(["f"]))
                        == .accepted(rejectedCount: 1, message: ""))
            }
        }
        let request = try #require(received.all.first)
        #expect(try Records.names(request.logs.encoded(as: .protobuf)) == ["a", "b"])
        #expect(Array(request.metadata[stringValues: "x-tenant"]) == ["seven"])
    }

    @Test("rejected records are counted")
    func partialSuccess() async throws {
        let outcome = try await GRPCReceiver.run { _ in
            var response = ExportLogsServiceResponse()
            response.partialSuccess.rejectedLogRecords = 2
            response.partialSuccess.errorMessage = "too old"
            return response
        } use: { port in
            try await withExporter(.otlpGRPC) {
                $0.url = "http://127.0.0.1:\(port)"
            } use: {
                await $0.send(Records.logs(["a", "b"]))
            }
        }
        #expect(outcome == .accepted(rejectedCount: 2, message: "too old"))
    }

    @Test("messages may be large", arguments: ExporterSettings.Compression.allCases)
    func large(compression: ExporterSettings.Compression) async throws {
        let text = String(repeating: "stack ", count: 1 << 19)
        let counts = Collected<Int>()
        let outcome = try await GRPCReceiver.run { received in
            let records = received.logs.resourceLogs.flatMap(\.scopeLogs).flatMap(\.logRecords)
            counts.add(records.reduce(0) { $0 + $1.body.stringValue.utf8.count })
            return ExportLogsServiceResponse()
        } use: { port in
            try await withExporter(.otlpGRPC) {
                $0.url = "http://127.0.0.1:\(port)"
                $0.compression = compression
                $0.timeout = .seconds(600)
            } use: {
                await $0.send(Records.logs(Array(repeating: text, count: 2)))
            }
        }
        #expect(outcome == taken)
        #expect(counts.all == [2 * text.utf8.count])
    }

    @Test(
        "the codes that OTLP lists are transient, except for a timeout",
        arguments: [
            RPCError.Code.cancelled, .aborted, .outOfRange, .unavailable, .dataLoss,
        ])
    func transient(code: RPCError.Code) async throws {
        let outcome = try await outcome(RPCError(code: code, message: "later"))
        #expect(outcome == .retry(reason: "\(code): later", after: nil))
    }

    @Test(
        "all others are refusals, some of them for the content",
        arguments: [
            (RPCError.Code.invalidArgument, true), (.resourceExhausted, true),
            (.internalError, false), (.unknown, false), (.unauthenticated, false),
            (.permissionDenied, false), (.unimplemented, false), (.notFound, false),
        ])
    func permanent(code: RPCError.Code, isForContent: Bool) async throws {
        let outcome = try await outcome(RPCError(code: code, message: "no"))
        #expect(outcome == .refused(reason: "\(code): no", isForContent: isForContent))
    }

    @Test(
        "the receiver's delay is read", arguments: [RPCError.Code.resourceExhausted, .unavailable])
    func retryInfo(code: RPCError.Code) async throws {
        let status = GoogleRPCStatus(
            code: code, message: "full", details: .retryInfo(delay: .milliseconds(2_500)))
        #expect(try await outcome(status) == .retry(reason: "\(code): full", after: 2.5))
    }

    @Test("a receiver that returns is reconnected")
    func comesBack() async throws {
        let received = Collected<String>()
        let answer: @Sendable (GRPCReceiver.Received) async throws -> ExportLogsServiceResponse = {
            for name in try Records.names($0.logs.encoded(as: .protobuf)) { received.add(name) }
            return ExportLogsServiceResponse()
        }
        let port = try await GRPCReceiver.run(answer: answer) { $0 }
        try await withExporter(.otlpGRPC) {
            $0.url = "http://127.0.0.1:\(port)"
        } use: { exporter in
            for name in ["first", "second"] {
                guard case .retry = await exporter.send(Records.logs(["lost"])) else {
                    Issue.record("no receiver listens")
                    return
                }
                try await GRPCReceiver.run(port: port, answer: answer) { _ in
                    while await exporter.send(Records.logs([name])) != taken {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
        }
        #expect(received.all == ["first", "second"])
    }

    @Test("an unknown host name is transient")
    func unknownName() async throws {
        let outcome = try await withExporter(.otlpGRPC) {
            $0.url = "http://receiver.invalid:4317"
            $0.timeout = .seconds(2)
        } use: {
            await $0.send(Records.logs(["a"]))
        }
        guard case .retry = outcome else {
            Issue.record("is not tried again: \(outcome)")
            return
        }
    }

    @Test("a connection that is not established in time is transient, and no timeout")
    func unreachable() async throws {
        let outcome = try await StallingReceiver.run { port in
            try await withExporter(.otlpGRPC) {
                $0.url = "http://127.0.0.1:\(port)"
                $0.timeout = .milliseconds(200)
            } use: {
                await $0.send(Records.logs(["a"]))
            }
        }
        #expect(outcome == .retry(reason: "deadlineExceeded: connection timed out", after: nil))
    }

    @Test("a response that does not come in time is a timeout")
    func timeout() async throws {
        let gate = Gate()
        let outcome = try await GRPCReceiver.run { _ in
            await gate.pass()
            return ExportLogsServiceResponse()
        } use: { port in
            let outcome = try await send(to: port, within: .milliseconds(100))
            await gate.open()
            return outcome
        }
        guard case .timedOut = outcome else {
            Issue.record("is no timeout: \(outcome)")
            return
        }
    }

    /// Sends a batch, and again with ten times the limit if even the connection exceeds it, as on a
    /// machine that runs all tests at once.
    private func send(to port: Int, within limit: Duration) async throws -> ExportOutcome {
        let outcome = try await withExporter(.otlpGRPC) {
            $0.url = "http://127.0.0.1:\(port)"
            $0.timeout = limit
        } use: {
            await $0.send(Records.logs(["a"]))
        }
        guard case .retry = outcome, limit < .seconds(60) else { return outcome }
        return try await send(to: port, within: limit * 10)
    }

    @Test("a cancelled send ends")
    func cancelled() async throws {
        let gate = Gate()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let outcome = try await GRPCReceiver.run { _ in
            arrival.yield()
            await gate.pass()
            return ExportLogsServiceResponse()
        } use: { port in
            let outcome = try await withExporter(.otlpGRPC) {
                $0.url = "http://127.0.0.1:\(port)"
                $0.timeout = .seconds(600)
            } use: { exporter in
                let send = Task { await exporter.send(Records.logs(["a"])) }
                for await _ in arrivals { break }
                send.cancel()
                return await send.value
            }
            await gate.open()
            return outcome
        }
        guard case .retry = outcome else {
            Issue.record("counts as done: \(outcome)")
            return
        }
    }

    @Test(
        "only the configured authority is trusted",
        arguments: ["localhost", "127.0.0.1"])
    func authority(host: String) async throws {
        let folder = try ScratchFolder()
        let path = try folder.file("ca.pem", TestCertificates.authority)
        let security = HTTP2ServerTransport.Posix.TransportSecurity.tls(
            certificateChain: [.bytes(Array(TestCertificates.server.utf8), format: .pem)],
            privateKey: .bytes(Array(TestCertificates.serverKey.utf8), format: .pem))
        try await GRPCReceiver.run(security: security) { _ in
            ExportLogsServiceResponse()
        } use: { port in
            try await withExporter(.otlpGRPC) {
                $0.url = "https://\(host):\(port)"
                $0.tls.authoritiesFile = path
            } use: {
                #expect(await $0.send(Records.logs(["a"])) == taken)
            }
            try await withExporter(.otlpGRPC) {
                $0.url = "https://\(host):\(port)"
            } use: { exporter in
                guard case .retry = await exporter.send(Records.logs(["a"])) else {
                    Issue.record("an unknown certificate was taken")
                    return
                }
            }
            try await withExporter(.otlpGRPC) {
                $0.url = "https://\(host):\(port)"
                $0.tls.acceptsAnyCertificate = true
            } use: {
                #expect(await $0.send(Records.logs(["a"])) == taken)
            }
        }
    }
}
