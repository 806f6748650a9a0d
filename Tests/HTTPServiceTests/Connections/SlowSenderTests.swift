import Glibc
import NIOCore
import OTLP
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("Slow senders", .ownThreads)
struct SlowSenderTests {
    private static let head =
        "POST /v1/metrickit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"

    /// Sends the head of a request and then a trickle of its body.
    ///
    /// - Returns: The connection and the response.
    private func send(
        _ head: String = Self.head, trickling text: String, to service: RunningService
    ) async throws -> (RawConnection, answer: String) {
        let connection = try await RawConnection.open(port: service.http)
        try await connection.send(head)
        return (connection, try await trickle(connection, text))
    }

    /// Sends a text every tenth of a second until the response is complete, and returns the
    /// response.
    private func trickle(
        _ connection: RawConnection, _ text: String
    ) async throws -> String {
        try await withThrowingTaskGroup(of: String?.self) { tasks in
            tasks.addTask {
                while !Task.isCancelled {
                    do { try await connection.send(text) } catch { return nil }
                    try await Task.sleep(for: .milliseconds(100))
                }
                return nil
            }
            let answer = try await connection.rest { $0.contains("\r\n\r\n") && $0.hasSuffix("}") }
            tasks.cancelAll()
            return answer
        }
    }

    @Test("a body that trickles in times out with a response")
    func body() async throws {
        try await RunningService.run {
            $0.requestSeconds = 3
        } use: { service in
            let (connection, answer) = try await send(trickling: "[", to: service)
            #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(answer)")
            #expect(answer.contains("\"code\":\"too_slow\""))
            // The server closes the connection while more bytes arrive.
            _ = try await trickle(connection, "[")
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("on OTLP paths the response is a Status")
    func otlp() async throws {
        try await RunningService.run {
            $0.requestSeconds = 3
        } use: { service in
            let head = Self.head.replacing(
                "metrickit HTTP/1.1", with: "logs HTTP/1.1\r\nContent-Type: application/json")
            let (_, answer) = try await send(head, trickling: " ", to: service)
            #expect(answer.hasPrefix("HTTP/1.1 408"), "\(answer)")
            #expect(answer.contains("\"code\":4"), "\(answer)")
        }
    }

    @Test("an upload may be slow, but not pause")
    func upload() async throws {
        try await RunningService.run {
            $0.requestSeconds = 4
        } use: { service in
            let library = library(1)
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(library.count)\r\n\r\n"
            )
            for start in stride(from: 0, to: library.count, by: library.count / 8 + 1) {
                try await connection.send(Array(library[start...].prefix(library.count / 8 + 1)))
                try await Task.sleep(for: .milliseconds(700))
            }
            let answer = try await connection.rest { $0.hasSuffix("}") }
            #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")

            let pausing = try await RawConnection.open(port: service.http)
            try await pausing.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc")
            // There is no response, because the sender may be disconnected.
            _ = try await pausing.rest()
            #expect(await eventually { service.incoming.isEmpty })
        }
    }

    @Test("an upload in progress is asked to stop soon after the service")
    func stopDuringUpload() async throws {
        let process = try ServedProcess(
            ["--http", "127.0.0.1:0", "--set", "grpc.enabled=false"], folder: TestFolder())
        let port = try #require(await process.port("Server started and listening"))
        let connection = try await RawConnection.open(port: port)
        try await connection.send(
            "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        try await connection.send("abc")
        // Until the request is certainly being received.
        try await Task.sleep(for: .seconds(1))
        let start = ContinuousClock.now
        process.signal(SIGTERM)
        let answer = try await trickle(connection, "x")
        #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
        #expect(await process.end().status == 0)
        // The limit of the whole stop is 30 seconds, after which the exit code is another one.
        #expect(start.duration(to: .now) < .seconds(25))
    }

    @Test(
        "connections without a complete request head are closed",
        arguments: ["", "GET /healthz HTTP/1.1\r\nHost: ", "POST /v1/logs HTTP/1.1\r\n"])
    func idle(start: String) async throws {
        try await RunningService.run {
            $0.requestSeconds = 3
        } use: { service in
            let connection = try await RawConnection.open(port: service.http)
            if !start.isEmpty { try await connection.send(start) }
            #expect(try await connection.rest() == "")
        }
    }

    @Test("endless headers are rejected")
    func headerFlood() async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            let line = "X: \(String(repeating: "x", count: 1_000))\r\n"
            for _ in 0..<200 { try? await connection.send(line) }
            let answer = try await connection.rest()
            #expect(answer.hasPrefix("HTTP/1.1 431") || answer.isEmpty, "\(answer)")
            #expect(try await service.get("/healthz").status == 200)
        }
    }

    @Test("a request refused early gets a response and is not read indefinitely")
    func refusedEarly() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1_000
        } use: { service in
            let (connection, answer) = try await send(trickling: "[", to: service)
            #expect(answer.hasPrefix("HTTP/1.1 413"), "\(answer)")
            _ = try await trickle(connection, "[")
        }
    }

    @Test(
        "the memory of all bodies is limited, and further requests are rejected with a retry delay")
    func memoryLimit() async throws {
        let memory = RequestMemoryBudget(limit: 10)
        try memory.reserve(6)
        #expect(throws: RequestError.self) { try memory.reserve(5) }
        try memory.reserve(4)
        memory.release(6)
        try memory.reserve(6)
        try await RunningService.run {
            $0.bodyLimit = 1_000
            $0.bodyMemoryLimit = 500
        } use: { service in
            func body(_ count: Int) -> [UInt8] {
                Array("{\"a\":\"\(String(repeating: "x", count: count))\"}".utf8)
            }
            let answer = try await service.post("/v1/metrickit", body(600))
            try expectError(answer, 503, "unavailable", "memory: request bodies use 500 bytes")
            #expect(answer.header("retry-after") == "1")
            try OTLPOverHTTPTests.expectStatus(
                try await service.post("/v1/logs", body(600), OTLPOverHTTPTests.json), 503, .json,
                "memory: request bodies use 500 bytes")
            // Each request releases its memory.
            for _ in 0..<5 {
                let answer = try await service.post("/v1/metrickit", body(400))
                #expect(answer.status == 202)
            }
        }
    }

    @Test("repeated warnings about one cause are logged once per interval")
    func warnings() {
        let throttle = WarningThrottle()
        let start = ContinuousClock.now
        #expect(throttle.allows("a", at: start))
        #expect(!throttle.allows("a", at: start + .seconds(9)))
        #expect(throttle.allows("b", at: start + .seconds(9)))
        #expect(throttle.allows("a", at: start + .seconds(10)))
        let queue = RequestError.unavailable(
            Problem("queue", detail: "full", suggestion: "send again later"), retryAfter: 5)
        #expect(queue.cause != RequestError.connectionLimitReached.cause)
    }

    @Test("the number of causes in one interval is limited")
    func causeLimit() {
        let throttle = WarningThrottle()
        let start = ContinuousClock.now
        let allowed = (0..<1_000).count { throttle.allows("\($0)", at: start) }
        #expect(allowed == WarningThrottle.causeLimit)
        #expect(throttle.allows("next", at: start + WarningThrottle.interval))
    }
}
