import Foundation
import GRPCCore
import GRPCProtobuf
import Ingest
import OTLP
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("OTLP over gRPC", .ownThreads)
struct OTLPOverGRPCTests {
    static let services: [(MethodDescriptor, Signal)] = [
        (LogsService.Method.Export.descriptor, .logs),
        (TraceService.Method.Export.descriptor, .traces),
        (MetricsService.Method.Export.descriptor, .metrics),
    ]

    static func code(_ outcome: GRPCCaller.Outcome) -> RPCError.Code? {
        if case .failure(let error) = outcome { error.code } else { nil }
    }

    static func error(_ outcome: GRPCCaller.Outcome) throws -> RPCError {
        guard case .failure(let error) = outcome else { throw CancellationError() }
        expectSentence(error.message)
        return error
    }

    @Test(
        "each signal is kept byte by byte", arguments: [CompressionAlgorithm.none, .gzip, .deflate])
    func keeps(compression: CompressionAlgorithm) async throws {
        try await RunningService.run { service in
            try await service.withCaller { caller in
                for (method, _) in Self.services {
                    // An empty resource, and field 99 of a later version.
                    let answer = try await caller.export(
                        [0x0a, 0x00, 0x98, 0x06, 0x2a], to: method, compression: compression)
                    #expect(try answer.get() == [])
                    #expect(try await caller.export([], to: method).get() == [])
                }
            }
            let entries = try await service.entries()
            #expect(entries.map(\.draft.kind) == Self.services.map { EntryKind($0.1) })
            #expect(entries.allSatisfy { $0.draft.body == [0x0a, 0x00, 0x98, 0x06, 0x2a] })
        }
    }

    @Test("an invalid message is rejected and not stored")
    func malformed() async throws {
        try await RunningService.run { service in
            try await service.withCaller { caller in
                for (method, _) in Self.services {
                    let error = try Self.error(
                        try await caller.export(Array("hello".utf8), to: method))
                    #expect(error.code == .invalidArgument)
                    #expect(error.message.contains("truncated or not protobuf"))
                }
                let many = repeated([0x0a, 0x00], beyond: OTLPLimits.messageCount)
                #expect(try Self.error(try await caller.export(many)).code == .resourceExhausted)
                let unknown = MethodDescriptor(
                    fullyQualifiedService: "a.B", method: "C")
                #expect(Self.code(try await caller.export([], to: unknown)) == .unimplemented)
            }
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("a large message is stored, and one above the limit is rejected, compressed or not")
    func sizes() async throws {
        // Field 99, bytes.
        let large = [0x9a, 0x06, 0x80, 0x80, 0x80, 0x04] + [UInt8](repeating: 7, count: 8 << 20)
        try await RunningService.run {
            $0.bodyLimit = 9 << 20
        } use: { service in
            try await service.withCaller { caller in
                #expect(try await caller.export(large).get() == [])
                let larger = [UInt8](repeating: 0, count: 9 << 20 + 1)
                for compression in [CompressionAlgorithm.none, .gzip] {
                    let outcome = try await caller.export(larger, compression: compression)
                    let error = try Self.error(outcome)
                    #expect(error.code == .resourceExhausted)
                    #expect(error.message.contains("\(9 << 20) bytes, the limit"))
                }
                #expect(try await caller.export([0x0a, 0x00]).get() == [])
            }
            #expect(try await service.entries().map(\.draft.body) == [large, [0x0a, 0x00]])
        }
    }

    @Test("a full queue rejects calls with a retry delay")
    func fullQueue() async throws {
        var settings = IngestFlow.Settings()
        settings.queueBytesLimit = 1
        try await expectSecondCallRefused(settings)
    }

    @Test("calls that arrive faster than they are processed are rejected with a retry delay")
    func backpressure() async throws {
        try await expectSecondCallRefused(.behindAfterOne)
    }

    private func expectSecondCallRefused(_ settings: IngestFlow.Settings) async throws {
        try await RunningService.run(ingest: settings) { service in
            try await service.withCaller { caller in
                #expect(try await caller.export([0x0a, 0x00]).get() == [])
                let error = try Self.error(try await caller.export([0x0a, 0x00]))
                #expect(error.code == .unavailable)
                let details = try #require(try error.unpackGoogleRPCStatus()).details
                #expect(details.compactMap(\.retryInfo).map(\.delay) == [.seconds(5)])
            }
            #expect(try await service.entries().count == 1)
        }
    }

    @Test("a full disk is named to the client, and calls are accepted when there is space again")
    func fullDisk() async throws {
        try await RunningService.run { service in
            try await service.withCaller { caller in
                let full = Problem(
                    "journal", detail: "disk is full", suggestion: "free some space in '/data'")
                service.journal.refuse(JournalError(.full, full))
                let error = try Self.error(try await caller.export([0x0a, 0x00]))
                #expect(error.code == .unavailable)
                #expect(error.message == full.description)
                let details = try #require(try error.unpackGoogleRPCStatus()).details
                #expect(!details.compactMap(\.retryInfo).isEmpty)
                service.journal.refuse(nil)
                #expect(try await caller.export([0x0a, 0x00]).get() == [])
            }
        }
    }

    @Test("calls need a token with the ingest scope if tokens are configured")
    func tokens() async throws {
        try await RunningService.run {
            $0.tokens = Tokens([
                .init(token: "in", scopes: [.ingest], app: nil),
                .init(token: "out", scopes: [.read, .upload], app: nil),
            ])
        } use: { service in
            try await service.withCaller { caller in
                for (token, code) in [
                    (nil, .unauthenticated), ("Bearer wrong", .unauthenticated),
                    ("Basic in", .unauthenticated), ("Bearer out", .permissionDenied),
                ] as [(String?, RPCError.Code)] {
                    var metadata = Metadata()
                    if let token { metadata.addString(token, forKey: "authorization") }
                    let error = try Self.error(
                        try await caller.export([0x0a, 0x00], metadata: metadata))
                    #expect(error.code == code)
                }
                let answer = try await caller.export(
                    [0x0a, 0x00], metadata: ["authorization": "bearer in"])
                #expect(try answer.get() == [])
            }
            #expect(try await service.entries().count == 1)
        }
    }
}
