import Foundation
import Glibc
import HexadecimalDigits
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("Request bodies", .ownThreads, .timeLimit(.minutes(10)))
struct RequestBodyTests {
    @Test(
        "the digest of a file is that of its bytes",
        arguments: [0, 1, 1 << 20, (1 << 20) + 1, 3_000_000])
    func digest(count: Int) throws {
        let content = randomBytes(count, seed: 21)
        let folder = try TestFolder()
        let file = try folder.write(content, to: "file")
        #expect(try ObjectDigest(ofFileAt: file) == ObjectDigest(of: content))
    }

    @Test(
        "a body is sent in pieces of a bounded size, which are all of it",
        arguments: [0, 1, 1 << 18, (1 << 18) + 1, 1_000_000])
    func pieces(count: Int) async throws {
        let content = randomBytes(count, seed: 20)
        let folder = try TestFolder()
        let file = try ReadableFile(path: folder.write([9] + content + [9], to: "file"))
        let bodies = [
            RequestBody(content), try RequestBody(file, range: 1..<Int64(count) + 1),
        ]
        for body in bodies {
            #expect(body.byteCount == Int64(count))
            #expect(body.digest == ObjectDigest(of: content).sha256.hexadecimal)
            var sent: [UInt8] = []
            for try await piece in RequestPieces(source: body.source) {
                #expect(piece.readableBytes <= RequestBody.pieceLimit)
                sent += piece.readableBytesView
            }
            #expect(sent == content)
        }
    }

    @Test("a file that becomes shorter while it is sent is an error of the file")
    func shorter() async throws {
        let folder = try TestFolder()
        let path = try folder.write(randomBytes(1_000_000, seed: 21), to: "file")
        let file = try ReadableFile(path: path)
        var request = StorageRequest(.PUT, key: try ObjectKey.test("x"))
        request.body = try RequestBody(file, range: 0..<file.byteCount)
        #expect(unsafe truncate(path, 300_000) == 0)
        try await FakeServer.run { _, _ in
            .respond(200)
        } _: { server in
            try await withBucket(at: server.url) { [request] bucket in
                let error = await failure { try await bucket.send(request) }
                #expect(error?.reason == .localFile)
            }
        }
    }

    @Test("a file that does not exist is an error of the file")
    func missing() async throws {
        let folder = try TestFolder()
        let path = folder.path("missing")
        let error = #expect(throws: ObjectStorageError.self) { try ReadableFile(path: path) }
        #expect(error?.reason == .localFile)
    }

    @Test("the time of a request grows with its bytes")
    func timeLimit() {
        var request = StorageRequest(.GET)
        #expect(request.timeLimit(silence: .seconds(30)) == .seconds(120))
        request.responseBytes = 1 << 30
        #expect(request.timeLimit(silence: .seconds(30)) == .seconds(120 + (1 << 16)))
    }
}
