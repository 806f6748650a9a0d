import GRPCCore
import Ingest
import OTLP
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("The gRPC health service", .ownThreads)
struct GRPCHealthTests {
    private static let check = "/grpc.health.v1.Health/Check"
    private static let watch = "/grpc.health.v1.Health/Watch"
    private static let serving = RawHTTP2.message([8, 1])
    private static let notServing = RawHTTP2.message([8, 2])
    private static let unknown = RawHTTP2.message([8, 3])

    /// A health check request for a service.
    private static func request(_ name: String) -> [UInt8] {
        RawHTTP2.message(name.isEmpty ? [] : [10, UInt8(name.utf8.count)] + Array(name.utf8))
    }

    @Test("a check needs no token and accepts the name of every service")
    func checks() async throws {
        try await RunningService.run {
            $0.tokens = Tokens([.init(token: "in", scopes: [.ingest], app: nil)])
        } use: { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            let names =
                ["", "grpc.health.v1.Health"]
                + OTLPOverGRPCTests.services.map(\.0.service.fullyQualifiedService)
            for (number, name) in names.enumerated() {
                try await client.call(2 * number + 1, Self.check)
                try await client.data(2 * number + 1, Self.request(name), isWhole: true)
                let ending = await client.ending(of: 2 * number + 1, isWhole: true)
                #expect(ending.status == "0", "\(name): \(ending)")
                #expect(ending.messages.flatMap { $0 } == Self.serving)
            }
            try await client.call(21, Self.check)
            try await client.data(21, Self.request("a.B"), isWhole: true)
            #expect(await client.ending(of: 21, isWhole: true).status == "5")
            try await client.call(23, Self.check)
            try await client.data(23, RawHTTP2.message([0xff]), isWhole: true)
            #expect(await client.ending(of: 23, isWhole: true).status == "3")
            // A name above the limit is rejected.
            try await client.call(25, Self.check)
            try await client.data(25, RawHTTP2.message([], count: 5_000))
            #expect(await client.ending(of: 25).status == "8")
            await client.close()
        }
    }

    @Test("a watcher receives every change: not ready, ready again, stopping")
    func watches() async throws {
        let (watchers, continuation) = AsyncStream.makeStream(
            of: Task<RawHTTP2.Ending?, Never>.self)
        try await RunningService.run { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            try await client.call(1, Self.watch)
            try await client.data(1, Self.request(""), isWhole: true)
            try await client.call(3, Self.watch)
            try await client.data(3, Self.request("a.B"), isWhole: true)
            await receive(3, [Self.unknown], &client)
            await receive(1, [Self.serving], &client)
            service.journal.refuse(
                JournalError(.full, Problem("disk", detail: "is full", suggestion: "make room")))
            await receive(1, [Self.serving, Self.notServing], &client)
            service.journal.refuse(nil)
            await receive(1, [Self.serving, Self.notServing, Self.serving], &client)
            continuation.yield(
                Task { [client] in
                    var client = client
                    await client.drain()
                    return client.endings[1]
                })
            continuation.finish()
        }
        for await watcher in watchers {
            let ending = await watcher.value
            #expect(ending?.messages.last == Self.notServing)
            #expect(ending?.status == "0")
        }
    }

    private func receive(
        _ stream: Int, _ messages: [[UInt8]], _ client: inout RawHTTP2
    ) async {
        while client.endings[stream]?.messages.count ?? 0 < messages.count {
            guard await client.receive() else { break }
        }
        #expect(client.endings[stream]?.messages == messages)
    }

    @Test("the number of watchers is limited")
    func watcherLimit() async throws {
        try await RunningService.run { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            for number in 0..<GRPCHealth.watcherLimit {
                let stream = 2 * number + 1
                try await client.call(stream, Self.watch)
                try await client.data(stream, Self.request(""), isWhole: true)
                await receive(stream, [Self.serving], &client)
            }
            // A connection without requests is closed after a while, so this one is opened last.
            var last = try await RawHTTP2.open(port: service.grpc)
            try await last.call(1, Self.watch)
            try await last.data(1, Self.request(""), isWhole: true)
            #expect(await last.ending(of: 1, isWhole: true).status == "14")
            await client.close()
            await last.close()
        }
    }
}
