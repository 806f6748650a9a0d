import GRPCCore
import OTLP
import TestSupport
import Testing

@testable import SymbolServer

@Suite("More connections than there is room for")
struct CrowdTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let unfinished =
        "POST /v1/metrickit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n["

    /// Opens connections, each with a request that never arrives in whole.
    private func busy(_ count: Int, _ service: RunningService) async throws -> [RawConnection] {
        var open: [RawConnection] = []
        for _ in 0..<count {
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(Self.unfinished)
            open.append(connection)
        }
        return open
    }

    @Test("idle connections of one client keep nobody out")
    func idle() async throws {
        try await RunningService.run {
            $0.connectionLimit = 8
        } use: { service in
            var idle: [RawConnection] = []
            for _ in 0..<64 { idle.append(try await RawConnection.open(port: service.http)) }
            for path in ["/healthz", "/readyz", "/v1/symbols"] {
                #expect(try await service.get(path).status == 200, "\(path)")
            }
            // The first ones are closed; they are not waited for.
            #expect(try await idle[0].rest() == "")
            for connection in idle.dropFirst() { try? await connection.close() }
        }
    }

    @Test("where all connections are busy, health is still answered")
    func busyConnections() async throws {
        try await RunningService.run {
            $0.connectionLimit = 4
            $0.connectionLimitPerClient = 4
        } use: { service in
            let open = try await busy(4, service)
            // The requests have to be there first.
            var refused = ""
            while !refused.contains("503") {
                let more = try await RawConnection.open(port: service.http)
                try await more.send(
                    "GET /v1/symbols HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                refused = try await more.rest()
            }
            #expect(refused.contains("Retry-After: 1\r\n"), "\(refused)")
            #expect(refused.contains("\"code\":\"unavailable\""))
            for path in ["/healthz", "/readyz"] {
                let asking = try await RawConnection.open(port: service.http)
                try await asking.send(Self.health.replacing("/healthz", with: path))
                #expect(try await asking.rest().hasPrefix("HTTP/1.1 200"), "\(path)")
            }
            for connection in open { try await connection.send("1,2,3,4]") }
            for connection in open {
                #expect(try await connection.rest { $0.hasSuffix("}") }.hasPrefix("HTTP/1.1 202"))
            }
            #expect(try await service.get("/v1/symbols").status == 200)
        }
    }

    @Test("a connection that never asks for anything is closed soon")
    func firstRequest() async throws {
        #expect(
            Connections.firstRequestSeconds
                < ServerSettings(
                    http: .init(host: "", port: 0), grpc: .init(host: "", port: 0),
                    tokens: Tokens([])
                ).requestSeconds)
        try await RunningService.run {
            $0.requestSeconds = 1
        } use: { service in
            for port in [service.http, service.grpc] {
                _ = try await RawConnection.open(port: port).rest()
            }
        }
    }

    @Test("idle connections of gRPC keep nobody out")
    func grpc() async throws {
        try await RunningService.run {
            $0.connectionLimit = 8
        } use: { service in
            var idle: [RawConnection] = []
            for _ in 0..<64 { idle.append(try await RawConnection.open(port: service.grpc)) }
            try await service.withCaller { caller in
                let answer = try await caller.export([]).get()
                #expect(answer.isEmpty)
            }
            for connection in idle { try? await connection.close() }
        }
    }

    @Test("uploads beyond the limit are told when to come again")
    func uploads() async throws {
        let admission = UploadAdmission(.init(count: 2, bytes: 10))
        let first = try admission.enter()
        let second = try admission.enter()
        #expect(throws: RequestError.self) { try admission.enter() }
        try admission.take(6, for: first)
        #expect(throws: RequestError.self) { try admission.take(5, for: second) }
        try admission.take(4, for: second)
        admission.leave(first)
        let third = try admission.enter()
        try admission.take(6, for: third)
        admission.leave(second)
        admission.leave(third)
        try admission.take(10, for: try admission.enter())

        try await RunningService.run {
            $0.uploadLimit = 1
        } use: { service in
            let slow = try await RawConnection.open(port: service.http)
            try await slow.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc")
            while service.incoming.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            let answer = try await service.post("/v1/symbols", library(1))
            try expectError(answer, 503, "unavailable", "uploads: 1 are under way")
            #expect(answer.header("retry-after") == "5")
            try await slow.close()
            while !service.incoming.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await service.post("/v1/symbols", library(1)).status == 201)
        }
    }

    @Test("every response has its type taken as it is")
    func sniffing() async throws {
        try await RunningService.run { service in
            for path in ["/healthz", "/nowhere", "/metrics", "/v1/logs", "/v1/symbols"] {
                #expect(
                    try await service.get(path).header("x-content-type-options") == "nosniff",
                    "\(path)")
            }
            let broken = try await RawConnection.open(port: service.http)
            try await broken.send("nonsense\r\n\r\n")
            let answer = try await broken.rest()
            #expect(answer.lowercased().contains("x-content-type-options: nosniff"), "\(answer)")
        }
    }
}
