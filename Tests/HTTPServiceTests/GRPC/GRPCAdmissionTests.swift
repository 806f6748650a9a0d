import Decompression
import Foundation
import GRPCCore
import Ingest
import NIOHPACK
import OTLP
import TestSupport
import Testing

@testable import HTTPService

/// Sends calls frame by frame.
@Suite("The limits of gRPC calls", .ownThreads)
struct GRPCAdmissionTests {
    private static let token = [("authorization", "Bearer in")]

    private static func withTokens(_ settings: inout ServerSettings) {
        settings.tokens = Tokens([
            .init(token: "in", scopes: [.ingest], app: nil),
            .init(token: "out", scopes: [.read], app: nil),
        ])
    }

    private func expectRefusal(
        _ ending: RawHTTP2.Ending, _ code: RPCError.Code, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(ending.status == "\(code.rawValue)", "\(ending)", sourceLocation: sourceLocation)
        #expect(ending.message.contains(text), "\(ending)", sourceLocation: sourceLocation)
        expectSentence(ending.message, sourceLocation: sourceLocation)
        // The reset has no error code, because the status counts.
        #expect(ending.reset == 0, sourceLocation: sourceLocation)
    }

    @Test("access is decided by the headers, and the stream of a refused call is reset")
    func authorization() async throws {
        try await RunningService.run(Self.withTokens) { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            try await client.call(1)
            expectRefusal(await client.ending(of: 1), .unauthenticated, "no bearer token")
            try await client.call(3, more: [("authorization", "Bearer out")])
            try await client.data(3, RawHTTP2.message([1, 2, 3], count: 900_000))
            expectRefusal(await client.ending(of: 3), .permissionDenied, "scope 'ingest'")
            try await client.call(5, more: Self.token)
            try await client.data(5, RawHTTP2.message([0x0a, 0x00]), isWhole: true)
            #expect(await client.ending(of: 5, isWhole: true).status == "0")
            #expect(try await service.entries().count == 1)
            await client.close()
        }
    }

    @Test("data of refused calls does not block other calls on the connection")
    func afterRefusal() async throws {
        try await RunningService.run(Self.withTokens) { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            for number in 0..<60 {
                try await client.call(2 * number + 1)
                try await client.data(2 * number + 1, [UInt8](repeating: 0, count: 100_000))
            }
            try await client.call(121, more: Self.token)
            try await client.data(121, RawHTTP2.message([0x0a, 0x00]), isWhole: true)
            #expect(await client.ending(of: 121, isWhole: true).status == "0")
            #expect(!client.isClosed)
            await client.close()
        }
    }

    @Test("a message that is too large is rejected while it is being sent, compressed or not")
    func tooLarge() async throws {
        try await RunningService.run {
            $0.bodyLimit = 100_000
        } use: { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            try await client.call(1)
            try await client.data(1, RawHTTP2.message([1], count: 100_001))
            expectRefusal(await client.ending(of: 1), .resourceExhausted, "100000 bytes, the limit")
            let zeros = [UInt8](repeating: 0, count: 100_001)
            let bodies = [
                try CompressedBody(gzipping: zeros),
                CompressedBody(zlibStream(zeros), coding: .deflate),
                CompressedBody(try zstd(zeros), coding: .zstd),
            ]
            for (number, body) in bodies.enumerated() {
                let stream = 2 * number + 3
                try await client.call(stream, more: [("grpc-encoding", body.coding.rawValue)])
                let message = RawHTTP2.message(body.bytes, isCompressed: true)
                try await client.data(stream, message, isWhole: true)
                let ending = await client.ending(of: stream, isWhole: true)
                #expect(ending.status == "8", "\(body.coding): \(ending)")
                #expect(ending.message.contains("100000 bytes, the limit"))
            }
            #expect(try await service.entries().isEmpty)
            await client.close()
        }
    }

    @Test(
        "messages in every supported coding are stored, and another coding is rejected with a list of them"
    )
    func codings() async throws {
        try await RunningService.run { service in
            let body: [UInt8] = [0x0a, 0x00, 0x98, 0x06, 0x2a]
            var client = try await RawHTTP2.open(port: service.grpc)
            let bodies = [
                ("gzip", try CompressedBody(gzipping: body).bytes), ("deflate", zlibStream(body)),
                ("zstd", try zstd(body)),
            ]
            for (number, (coding, bytes)) in bodies.enumerated() {
                let stream = 2 * number + 1
                try await client.call(stream, more: [("grpc-encoding", coding)])
                let message = RawHTTP2.message(bytes, isCompressed: true)
                try await client.data(stream, message, isWhole: true)
                #expect(await client.ending(of: stream, isWhole: true).status == "0", "\(coding)")
            }
            #expect(try await service.entries().map(\.draft.body) == [body, body, body])
            try await client.call(7, more: [("grpc-encoding", "snappy")])
            let ending = await client.ending(of: 7)
            expectRefusal(ending, .unimplemented, "'snappy' is not supported")
            #expect(
                ending.fields.first(name: "grpc-accept-encoding") == "gzip,deflate,zstd,identity")
            try await client.call(9, more: [("grpc-encoding", "gzip")])
            try await client.data(
                9, RawHTTP2.message([1, 2, 3], isCompressed: true), isWhole: true)
            #expect(await client.ending(of: 9, isWhole: true).status == "3")
            await client.close()
        }
    }

    private func zstd(_ bytes: [UInt8]) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        var all: [UInt8] = []
        try compressor.add(bytes.span, isLast: true) { piece in
            unsafe piece.withUnsafeBufferPointer { unsafe all.append(contentsOf: $0) }
        }
        return all
    }

    @Test("a message that does not arrive in time is rejected")
    func slow() async throws {
        try await RunningService.run {
            $0.requestSeconds = 10
        } use: { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            try await client.call(1)
            try await client.data(1, RawHTTP2.message([1, 2], count: 3))
            try await client.call(3)
            for stream in [1, 3] {
                let ending = await client.ending(of: stream)
                expectRefusal(ending, .deadlineExceeded, "timed out after 10 s")
            }
            await client.close()
        }
    }

    @Test("gRPC messages and HTTP bodies share one memory limit")
    func memoryLimit() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1_000
            $0.bodyMemoryLimit = 1_000
        } use: { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            let part = RawHTTP2.message([UInt8](repeating: 0, count: 595), count: 900)
            try await client.call(1)
            try await client.data(1, part)
            try await client.call(3)
            try await client.data(3, part)
            let ending = await client.ending(of: 3)
            expectRefusal(ending, .unavailable, "memory: request bodies use 1000 bytes")
            #expect(ending.fields.first(name: "grpc-status-details-bin")?.isEmpty == false)
            let json = Array("{\"a\":\"\(String(repeating: "x", count: 600))\"}".utf8)
            #expect(try await service.post("/v1/metrickit", json).status == 503)
            // A client that disconnects releases its memory.
            try await client.connection.close()
            #expect(
                await eventually { (try? await service.post("/v1/metrickit", json).status) == 202 })
        }
    }

    @Test("calls beyond the limit are rejected with a retry delay")
    func callCount() async throws {
        try await RunningService.run {
            $0.connectionLimit = 3
        } use: { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            for stream in [1, 3, 5, 7] { try await client.call(stream) }
            expectRefusal(await client.ending(of: 7), .unavailable, "3 are open, the limit")
            try await client.send(RawHTTP2.Frame.reset, stream: 1, [0, 0, 0, 8])
            try await client.call(9)
            try await client.data(9, RawHTTP2.message([0x0a, 0x00]), isWhole: true)
            #expect(await client.ending(of: 9, isWhole: true).status == "0")
            await client.close()
        }
    }

    @Test("a connection has at most a hundred concurrent calls")
    func callsPerConnection() async throws {
        try await RunningService.run { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            for number in 0...GRPCListener.callsPerConnection {
                try await client.call(2 * number + 1)
            }
            await client.drain()
            #expect(client.isClosed)
        }
    }

    @Test(
        "connections that are silent or without calls are closed, whatever else they send",
        arguments: [false, true])
    func idle(isBusy: Bool) async throws {
        try await RunningService.run {
            $0.requestSeconds = 10
        } use: { service in
            let silent = try await RawConnection.open(port: service.grpc)
            var busy = try await RawHTTP2.open(port: service.grpc)
            if isBusy {
                let connection = busy.connection
                // Keeps sending without acknowledging the server's frames.
                let updates = Task {
                    while !Task.isCancelled {
                        try await connection.send([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1])
                        try await Task.sleep(for: .milliseconds(200))
                    }
                }
                while await connection.next() != nil {}
                updates.cancel()
            } else {
                await busy.drain()
            }
            // The server's frames, then the end of the connection.
            _ = try await silent.rest()
        }
    }

    @Test("an invalid call gets a status, and the connection remains usable")
    func odd() async throws {
        try await RunningService.run { service in
            var client = try await RawHTTP2.open(port: service.grpc)
            try await client.call(1, "/a.B/C")
            #expect(await client.ending(of: 1).status == "12")
            try await client.call(3, isWhole: true)
            #expect(await client.ending(of: 3, isWhole: true).isAnswered)
            try await client.headers(
                5, [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
                isWhole: true)
            #expect(await client.ending(of: 5, isWhole: true).isAnswered)
            try await client.call(7)
            try await client.data(7, RawHTTP2.message([0x0a, 0x00]), isWhole: true)
            #expect(await client.ending(of: 7, isWhole: true).status == "0")
            await client.close()
        }
    }
}

extension RawHTTP2 {
    /// Sends the headers of a call of the logs service.
    fileprivate mutating func call(_ stream: Int, more: [(String, String)]) async throws {
        try await call(stream, "/\(Self.logs)", more)
    }
}
