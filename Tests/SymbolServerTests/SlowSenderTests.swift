import NIOCore
import OTLP
import Testing

@testable import SymbolServer

@Suite("Senders that take their time")
struct SlowSenderTests {
    private static let head =
        "POST /v1/metrickit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"

    /// Sends a byte every tenth of a second until it is told not to.
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

    @Test("a body that trickles in is answered and cut off")
    func body() async throws {
        try await RunningService.run {
            $0.requestSeconds = 1
        } use: { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(Self.head)
            let answer = try await trickle(connection, "[")
            #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(answer)")
            #expect(answer.contains("\"code\":\"too_slow\""))
            // The server lets go of it, however long more comes.
            _ = try await trickle(connection, "[")
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("on paths of OTLP the answer is a status")
    func otlp() async throws {
        try await RunningService.run {
            $0.requestSeconds = 1
        } use: { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(
                Self.head.replacing(
                    "metrickit HTTP/1.1", with: "logs HTTP/1.1\r\nContent-Type: application/json"))
            let answer = try await trickle(connection, " ")
            #expect(answer.hasPrefix("HTTP/1.1 408"), "\(answer)")
            #expect(answer.contains("\"code\":4"), "\(answer)")
        }
    }

    @Test("an upload may trickle, but not pause")
    func upload() async throws {
        try await RunningService.run {
            $0.requestSeconds = 1
        } use: { service in
            let library = library(1)
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(library.count)\r\n\r\n"
            )
            for start in stride(from: 0, to: library.count, by: library.count / 8 + 1) {
                try await connection.send(Array(library[start...].prefix(library.count / 8 + 1)))
                try await Task.sleep(for: .milliseconds(300))
            }
            let answer = try await connection.rest { $0.hasSuffix("}") }
            #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")

            let pausing = try await RawConnection.open(port: service.http)
            try await pausing.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc")
            // Nothing is said, because the sender may be gone.
            _ = try await pausing.rest()
            for _ in 0..<100 where !service.incoming.isEmpty {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(service.incoming.isEmpty)
        }
    }

    @Test(
        "connections on which nothing, or only half a head, arrives are closed",
        arguments: ["", "GET /healthz HTTP/1.1\r\nHost: ", "POST /v1/logs HTTP/1.1\r\n"])
    func idle(start: String) async throws {
        try await RunningService.run {
            $0.requestSeconds = 1
        } use: { service in
            let connection = try await RawConnection.open(port: service.http)
            if !start.isEmpty { try await connection.send(start) }
            #expect(try await connection.rest() == "")
        }
    }

    @Test("headers without end are refused")
    func headerFlood() async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            let line = "X: \(String(repeating: "x", count: 1_000))\r\n"
            for _ in 0..<200 { try? await connection.send(line) }
            let answer = try await connection.rest()
            #expect(answer.hasPrefix("HTTP/1.1 400") || answer.isEmpty, "\(answer)")
            #expect(try await service.get("/healthz").status == 200)
        }
    }

    @Test("what is refused before it is in is answered, and not read for ever")
    func refusedEarly() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1_000
        } use: { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(Self.head)
            let answer = try await trickle(connection, "[")
            #expect(answer.hasPrefix("HTTP/1.1 413"), "\(answer)")
            _ = try await trickle(connection, "[")
        }
    }

    @Test("all bodies together are bounded: who comes too late is told when to come again")
    func room() async throws {
        let room = BodyRoom(limit: 10)
        try room.take(6)
        #expect(throws: RequestError.self) { try room.take(5) }
        try room.take(4)
        room.giveBack(6)
        try room.take(6)
        try await RunningService.run {
            $0.bodyLimit = 1_000
            $0.bodyRoom = 500
        } use: { service in
            func body(_ count: Int) -> [UInt8] {
                Array("{\"a\":\"\(String(repeating: "x", count: count))\"}".utf8)
            }
            let answer = try await service.post("/v1/metrickit", body(600))
            try expectError(answer, 503, "unavailable", "memory: 500 bytes of requests")
            #expect(answer.header("retry-after") == "1")
            try OTLPOverHTTPTests.expectStatus(
                try await service.post("/v1/logs", body(600), OTLPOverHTTPTests.json), 503, .json,
                "memory: 500 bytes of requests")
            // What was taken has been given back each time.
            for _ in 0..<5 {
                let answer = try await service.post("/v1/metrickit", body(400))
                #expect(answer.status == 202)
            }
        }
    }

    @Test("of many warnings of one kind one is logged in a while")
    func warnings() {
        let throttle = WarningThrottle()
        let start = ContinuousClock.now
        #expect(throttle.lets("a", at: start))
        #expect(!throttle.lets("a", at: start + .seconds(9)))
        #expect(throttle.lets("b", at: start + .seconds(9)))
        #expect(throttle.lets("a", at: start + .seconds(10)))
    }
}
