import Foundation
import TestSupport
import Testing

@testable import HTTPService

/// The service as a process, with clients that announce large messages and never complete them.
@Suite("Memory of gRPC calls", .ownThreads)
struct GRPCMemoryTests {
    private static let connectionCount = 30
    private static let callCount = 100
    private static let sentBytes = 128 << 10

    @Test(
        "thousands of incomplete messages use no more than the memory limit",
        arguments: [false, true])
    func flood(hasTokens: Bool) async throws {
        let folder = try TestFolder()
        var arguments = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
        arguments += ["--set", "limits.body=8MiB"]
        if hasTokens { arguments += ["--config", try configuration(in: folder)] }
        let service = try ServedProcess(arguments, folder: folder)
        let port = try #require(await service.port("grpc: listening"))
        let before = try service.residentBytes
        // Connections stay open until all have sent.
        let clients = try await withThrowingTaskGroup(of: RawHTTP2.self) { tasks in
            for _ in 0..<Self.connectionCount { tasks.addTask { try await Self.flood(port) } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(clients.allSatisfy { !$0.isClosed })
        // 375 MiB are sent; the memory limit for bodies is 32 MiB.
        let growth = try service.residentBytes - before
        #expect(growth < 200 << 20, "\(growth >> 20) MiB")
        for client in clients { await client.close() }
        service.signal(SIGTERM)
        #expect(await service.end().status == 0)
    }

    private func configuration(in folder: TestFolder) throws -> String {
        try folder.write(
            "auth: {tokens: [{name: in, token: in, scopes: [ingest]}]}\n", to: "symbolist.yaml")
    }

    private static func flood(_ port: Int) async throws -> RawHTTP2 {
        var client = try await RawHTTP2.open(port: port)
        let bytes = [UInt8](repeating: 1, count: sentBytes)
        for number in 0..<callCount {
            try await client.call(2 * number + 1)
            try await client.data(2 * number + 1, RawHTTP2.message(bytes, count: 7 << 20))
        }
        return client
    }
}
