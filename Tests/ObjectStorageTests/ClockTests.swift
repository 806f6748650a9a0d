import Foundation
import Problems
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("Clocks that differ", .ownThreads, .timeLimit(.minutes(10)))
struct ClockTests {
    private static let serverDate = "Fri, 24 May 2013 00:00:00 GMT"

    @Test(
        "a request that is refused for its time is sent once more with the server's",
        arguments: [
            FakeServer.Reply.error(403, "RequestTimeTooSkewed", ["date": serverDate]),
            .respond(403, ["date": serverDate]),
        ])
    func adjusted(refusal: FakeServer.Reply) async throws {
        let key = try ObjectKey.test("x")
        try await FakeServer.run { request, _ in
            request.header("x-amz-date")?.hasPrefix("20130524T0000") == true
                ? .respond(200) : refusal
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                try await bucket.upload([1], as: key)
                try await bucket.upload([2], as: key)
            }
            #expect(server.requests.map(\.body) == [[1], [1], [2]])
        }
    }

    @Test("a server that refuses its own time is believed once")
    func once() async throws {
        let key = try ObjectKey.test("x")
        try await FakeServer.run { _, _ in
            .error(403, "RequestTimeTooSkewed", ["date": Self.serverDate])
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.upload([1], as: key) }
                #expect(error?.description.hasSuffix("set the clock of this machine") == true)
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test("refused credentials are loaded again once")
    func credentials() async throws {
        let key = try ObjectKey.test("x")
        let folder = try TestFolder()
        let file = try folder.write("old", to: "secret")
        let settings = CredentialSettings(accessKeyID: "ID", secretFile: file, environment: [:])
        try await FakeServer.run { _, number in
            if number == 1 { _ = try? folder.write("new", to: "secret") }
            return number == 1 ? .error(403, "SignatureDoesNotMatch") : .respond(200)
        } _: { server in
            try await withBucket(at: server.url, credentials: settings) { bucket in
                for byte in 1...3 { try await bucket.upload([UInt8(byte)], as: key) }
            }
            #expect(server.requests.map(\.body) == [[1], [2], [2], [3]])
        }
    }
}
