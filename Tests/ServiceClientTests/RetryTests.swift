import CallStacks
import ContractServer
import Foundation
import Problems
import TestSupport
import Testing

@testable import ServiceClient

@Suite("Retries", .ownThreads)
struct RetryTests {
    let folder: TestFolder
    let server = ContractServer()
    let delays = Delays()

    init() throws {
        folder = try TestFolder()
        try folder.write(library(1), to: "a/1")
        try folder.write(library(2), to: "a/2")
    }

    private func upload(_ url: String) async throws -> UploadResult {
        try await folder.inputs("a").upload(to: url, delays: delays) { $0.jobs = 1 }
    }

    @Test("a request that fails three times is sent a fourth time, each time after a longer delay")
    func threeFailures() async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols"] = [.init(500), .init(503), .init(429)]
        }
        try await server.serve { url in
            let result = try await upload(url)
            #expect(result.rows.map(\.status) == [.uploaded, .uploaded])
        }
        #expect(delays.all == [.milliseconds(500), .seconds(1), .seconds(2)])
    }

    @Test("Retry-After is honoured, up to a limit")
    func retryAfter() async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols"] = ["7", "100000", "soon", "-1"].map {
                .init(503, headers: ["Retry-After": $0])
            }
        }
        try await server.serve { url in _ = try await upload(url) }
        #expect(delays.all == [.seconds(7), .seconds(300), .seconds(2), .seconds(4)])
    }

    @Test("delays double up to their limit, and half of each is random")
    func delayGrowth() {
        var policy = RetryPolicy()
        for (random, factor) in [(0.0, 0.5), (1.0, 1.0)] {
            policy.random = { random }
            let all = (1...8).map { policy.delay(beforeRetry: $0, retryAfter: nil) }
            let seconds = [0.5, 1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0 * factor) }
            #expect(all == seconds)
        }
        #expect(policy.delay(beforeRetry: .max, retryAfter: nil) == .seconds(30))
    }

    @Test("a file that fails after all retries does not affect the others")
    func exhausted() async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols"] = (0..<6).map { _ in .init(502) }
        }
        try await server.serve { url in
            let result = try await upload(url)
            try #require(result.rows.map(\.status) == [.failed, .uploaded])
            #expect(result.rows[0].reason == "\(url): returned 502 (disturbed)")
            #expect(result.ending == nil)
        }
        #expect(delays.all.count == 5)
    }

    @Test("other errors are not retried", arguments: [400, 404, 409, 413, 422, 308])
    func refusals(status: Int) async throws {
        server.change { $0.scriptedResponses["/v1/symbols"] = [.init(status)] }
        try await server.serve { url in
            let result = try await upload(url)
            #expect(result.rows.map(\.status) == [.failed, .uploaded])
        }
        #expect(delays.all.isEmpty)
    }

    @Test("a response before the server has read the whole request is used")
    func earlyResponse() async throws {
        var numbers = SplitMix64(seed: 1)
        var large = ELFBuilder.library(buildID: identity(1).bytes)
        large.add([.init("f", at: 0x1010, size: 0x10)])
        let noise = (0..<1 << 23).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        large.sections.append(.init(".noise", contents: noise))
        try folder.write(large.bytes(), to: "a/1")
        server.change {
            $0.scriptedResponses["/v1/symbols"] = [
                .init(503), .init(413, message: "limit is 1 MB"),
            ]
        }
        try await server.serve { url in
            let result = try await upload(url)
            try #require(result.rows.map(\.status) == [.failed, .uploaded])
            #expect(result.rows[0].reason == "\(url): returned 413 (limit is 1 MB)")
        }
    }

    @Test("an error without a message suggests checking the server's address")
    func errorWithoutMessage() async throws {
        try folder.write(library(1), to: "a/1")
        server.change { $0.scriptedResponses["/v1/symbols"] = [.init(405, message: "")] }
        try await server.serve { url in
            let result = try await upload(url)
            #expect(result.rows.first?.reason == "\(url): returned 405: check --server")
        }
    }

    @Test("a server that denies access ends the run at once", arguments: [401, 403])
    func unauthorised(status: Int) async throws {
        for path in ["/v1/symbols/missing", "/v1/symbols"] {
            server.change { $0.scriptedResponses[path] = [.init(status)] }
            try await server.serve { url in
                let result = try await upload(url)
                #expect(result.ending?.kind == .refused)
                #expect(result.rows.map(\.status) == [.failed, .failed])
                #expect(result.rows.map(\.reason) == ["was not sent", "was not sent"])
            }
        }
        #expect(delays.all.isEmpty)
        #expect(server.requests("POST", "/v1/symbols").count == 1)
    }

    @Test("a refused connection is retried, then reported")
    func unreachable() async throws {
        let url = "http://127.0.0.1:1"
        let result = try await upload(url)
        #expect(
            result.ending
                == ServerRequestError(
                    .unreachable,
                    problem: Problem(
                        url, detail: "connection refused",
                        suggestion: "check --server and the network")))
        #expect(delays.all.count == 5)
    }

    @Test("a response that is not from Symbolist is reported as such")
    func foreign() async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols/missing"] = [.init(200)]
        }
        try await server.serve { url in
            let result = try await upload(url)
            #expect(result.ending?.kind == .unreachable)
            #expect(
                result.ending?.description
                    == "\(url)/v1/symbols/missing: is not a Symbolist service: check --server"
            )
        }
    }
}
