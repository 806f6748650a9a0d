import GRPCCore
import NIOHPACK
import OTLP
import TestSupport
import Testing

@testable import HTTPService

@Suite("Connection limits", .ownThreads)
struct ConnectionLimitTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let unfinished =
        "POST /v1/metrickit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
        + "Expect: 100-continue\r\n\r\n"

    /// Opens connections, each with an incomplete request. Returns once the service has received
    /// the requests: until then, a connection is idle and gives way to a new one.
    private func busy(_ count: Int, _ service: RunningService) async throws -> [RawConnection] {
        var open: [RawConnection] = []
        for _ in 0..<count {
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(Self.unfinished)
            let reply = try await connection.rest { $0.hasSuffix("\r\n\r\n") }
            #expect(reply == "HTTP/1.1 100 Continue\r\n\r\n")
            try await connection.send("[")
            open.append(connection)
        }
        return open
    }

    @Test("idle connections of one client do not block other clients")
    func idle() async throws {
        try await RunningService.run {
            $0.connectionLimit = 8
        } use: { service in
            var idle: [RawConnection] = []
            for _ in 0..<64 { idle.append(try await RawConnection.open(port: service.http)) }
            for path in ["/healthz", "/readyz", "/v1/symbols"] {
                #expect(try await service.get(path).status == 200, "\(path)")
            }
            // The first connections are closed by the server.
            #expect(try await idle[0].rest() == "")
            for connection in idle.dropFirst() { try? await connection.close() }
        }
    }

    @Test("health checks still get a response while all connections are busy")
    func busyConnections() async throws {
        try await RunningService.run {
            $0.connectionLimit = 4
            $0.connectionLimitPerClient = 4
        } use: { service in
            let open = try await busy(4, service)
            let more = try await RawConnection.open(port: service.http)
            try await more.send(
                "GET /v1/symbols HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let refused = try await more.rest()
            #expect(refused.contains("503"))
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

    @Test("a connection without a request is closed soon")
    func firstRequest() async throws {
        #expect(
            ConnectionRegistry.firstRequestSeconds
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

    @Test("idle gRPC connections do not block other clients")
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

    private static let healthPath = "/grpc.health.v1.Health/"

    /// Opens a gRPC connection with a call that stays open: a watch of the health status.
    private func watch(_ service: RunningService) async throws -> RawHTTP2 {
        var client = try await RawHTTP2.open(port: service.grpc)
        try await client.call(1, Self.healthPath + "Watch")
        try await client.data(1, RawHTTP2.message([]), isWhole: true)
        while client.endings[1]?.messages.isEmpty ?? true, await client.receive() {}
        return client
    }

    @Test("the health service still responds while all gRPC connections are busy")
    func reservedGRPC() async throws {
        try await RunningService.run {
            $0.connectionLimit = 3
            $0.connectionLimitPerClient = 3
        } use: { service in
            var busy: [RawHTTP2] = []
            for _ in 0..<3 { busy.append(try await watch(service)) }

            var sender = try await RawHTTP2.open(port: service.grpc)
            try await sender.call(1)
            try await sender.data(1, RawHTTP2.message([0x0a, 0x00]), isWhole: true)
            let refused = await sender.ending(of: 1, isWhole: true)
            #expect(refused.status == "14" && refused.message.contains("connections: all are busy"))
            #expect(refused.fields.contains(name: "grpc-status-details-bin"))
            await sender.drain()

            let isAnswered = await eventually {
                guard var prober = try? await RawHTTP2.open(port: service.grpc) else {
                    return false
                }
                try? await prober.call(1, Self.healthPath + "Check")
                try? await prober.data(1, RawHTTP2.message([]), isWhole: true)
                let ending = await prober.ending(of: 1, isWhole: true)
                // A reserved connection is closed after its call.
                await prober.drain()
                return ending.status == "0"
            }
            #expect(isAnswered)

            for client in busy { await client.close() }
            let isAccepted = await eventually {
                guard var client = try? await RawHTTP2.open(port: service.grpc) else {
                    return false
                }
                try? await client.call(1)
                try? await client.data(1, RawHTTP2.message([0x0a, 0x00]), isWhole: true)
                let ending = await client.ending(of: 1, isWhole: true)
                await client.close()
                return ending.status == "0"
            }
            #expect(isAccepted)
        }
    }

    @Test("a watcher of the health status does not keep a reserved gRPC connection")
    func watcherOnReserve() async throws {
        try await RunningService.run {
            $0.connectionLimit = 1
            $0.connectionLimitPerClient = 1
            $0.requestSeconds = 10
        } use: { service in
            let busy = try await watch(service)
            var watcher = try await watch(service)
            await watcher.drain()
            #expect(watcher.isClosed)
            await busy.close()
        }
    }

    @Test("calls that fill the limit leave room for health checks")
    func callLimits() throws {
        var settings = ServerSettings(
            http: .init(host: "", port: 0), grpc: .init(host: "", port: 0), tokens: Tokens([]))
        settings.connectionLimit = 1
        settings.bodyMemoryLimit = 10
        let audit = AuditLog(logger: quietLogger)
        let limits = GRPCCallLimits(
            settings, authorization: GRPCAuthorization(tokens: settings.tokens, audit: audit),
            memory: RequestMemoryBudget(settings))
        func admit(_ path: String, isReserved: Bool = false) throws -> GRPCCallLimits.Allowance {
            try limits.admit(path: path, [:], from: "127.0.0.1", isReserved: isReserved)
        }
        let telemetry = try admit("/\(RawHTTP2.logs)")
        for _ in 0..<settings.connectionLimits.total { try telemetry.calls.acquire() }
        try telemetry.memory.reserve(10)
        #expect(throws: RequestError.self) { try admit("/\(RawHTTP2.logs)").calls.acquire() }
        #expect(throws: RequestError.self) { try admit("/\(RawHTTP2.logs)", isReserved: true) }
        let health = try admit(Self.healthPath + "Check", isReserved: true)
        try health.calls.acquire()
        try health.memory.reserve(health.messageLimit)
        // Health checks on other connections have a separate limit.
        try admit(Self.healthPath + "Check").calls.acquire()
        #expect(health.messageLimit == GRPCCallLimits.healthMessageLimit)
    }

    @Test("uploads beyond the limit are rejected with a retry delay")
    func uploads() async throws {
        let limiter = UploadLimiter(.init(count: 2, bytes: 10))
        let first = try limiter.acquire()
        let second = try limiter.acquire()
        #expect(throws: RequestError.self) { try limiter.acquire() }
        try limiter.add(6, to: first)
        #expect(throws: RequestError.self) { try limiter.add(5, to: second) }
        try limiter.add(4, to: second)
        limiter.release(first)
        let third = try limiter.acquire()
        try limiter.add(6, to: third)
        limiter.release(second)
        limiter.release(third)
        try limiter.add(10, to: try limiter.acquire())

        try await RunningService.run {
            $0.uploadLimit = 1
        } use: { service in
            let slow = try await RawConnection.open(port: service.http)
            try await slow.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc")
            try #require(await eventually { !service.incoming.isEmpty })
            let answer = try await service.post("/v1/symbols", library(1))
            try expectError(answer, 503, "unavailable", "uploads: 1 are in progress")
            #expect(answer.header("retry-after") == "5")
            try await slow.close()
            #expect(await eventually { service.incoming.isEmpty })
            #expect(try await service.post("/v1/symbols", library(1)).status == 201)
        }
    }

    @Test("every response disables content sniffing")
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
