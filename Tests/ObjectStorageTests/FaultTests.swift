import Foundation
import Problems
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

/// What a server may do wrong, and what becomes of it.
@Suite("Faults of a server", .ownThreads, .timeLimit(.minutes(10)))
struct FaultTests {
    private let key = try? ObjectKey.test("some/object")
    private static let content = randomBytes(100_000, seed: 1)
    private static let digest = ObjectDigest(of: content)

    @Test(
        "a request is sent again after a failure that may pass",
        arguments: [
            FakeServer.Reply.error(500, "InternalError"), .error(503, "SlowDown"), .error(502, ""),
            .error(504, "x"), .error(400, "RequestTimeout"), .hangUp, .respond(503),
            .cut(200, body: Array("<Error>".utf8), after: 3),
        ])
    func passing(reply: FakeServer.Reply) async throws {
        let key = try #require(key)
        try await FakeServer.run { _, number in
            number < 2 ? reply : .respond(200)
        } _: { server in
            try await withBucket(at: server.url) { try await $0.upload([1, 2, 3], as: key) }
            #expect(server.requests.map(\.body) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        }
    }

    @Test("a failure that stays is an error after the last attempt")
    func staying() async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .error(503, "SlowDown")
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.upload([1], as: key) }
                #expect(error?.reason == .unavailable)
                #expect(
                    error?.description
                        == "s3://example-bucket/test/some/object: PUT failed in 3 attempts: responded 503 (SlowDown)"
                )
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test(
        "a refusal that stays is not sent again",
        arguments: [
            (403, "AccessDenied", ObjectStorageError.Reason.accessDenied),
            (404, "NoSuchKey", .notFound),
            (404, "NoSuchBucket", .refused(status: 404)),
            (400, "InvalidArgument", .refused(status: 400)),
        ])
    func refused(status: Int, code: String, reason: ObjectStorageError.Reason) async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .error(status, code)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.upload([1], as: key) }
                #expect(error?.reason == reason)
                #expect(error?.description.contains(code) == true)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("a server that does not respond is given up")
    func silence() async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .silence
        } _: { server in
            try await withBucket(at: server.url, settings: .impatient) { bucket in
                let error = await failure { try await bucket.upload([1], as: key) }
                #expect(error?.reason == .unavailable)
            }
        }
    }

    @Test("a server that sends a byte now and then is given up", arguments: [200, 500])
    func drip(status: Int) async throws {
        let key = try #require(key)
        let folder = try TestFolder()
        try await FakeServer.run { _, _ in
            .drip(status)
        } _: { server in
            try await withBucket(at: server.url, settings: .impatient) { bucket in
                let digest = ObjectDigest(byteCount: 10_000, sha256: Self.digest.sha256)
                let error = await failure {
                    try await bucket.download(key, to: folder.path("x"), expecting: digest)
                }
                #expect(error?.reason == .unavailable)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("nothing is connected to a closed port")
    func closed() async throws {
        let key = try #require(key)
        let url = "http://127.0.0.1:\(try freePort())"
        try await withBucket(at: url) { bucket in
            let error = await failure { try await bucket.upload([1], as: key) }
            #expect(error?.reason == .unavailable)
            #expect(error?.description.contains("connection refused: check blobs.endpoint") == true)
        }
    }

    @Test("an error without an end is read up to a limit", arguments: [400, 503])
    func hugeError(status: Int) async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .endless(status)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.upload([1], as: key) }
                #expect(error != nil)
            }
        }
    }

    @Test(
        "a document without an end or without sense is an error",
        arguments: [
            FakeServer.Reply.endless(200), .xml(200, ""), .xml(200, "<a>"), .xml(200, "<Other/>"),
            .xml(200, "<!DOCTYPE a><a/>"),
            .xml(200, "<ListBucketResult><Contents/></ListBucketResult>"),
            .xml(
                200,
                "<ListBucketResult><Contents><Key>test/a</Key><Size>-1</Size></Contents></ListBucketResult>"
            ), .xml(200, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
        ])
    func documents(reply: FakeServer.Reply) async throws {
        try await FakeServer.run { _, _ in
            reply
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { for try await _ in bucket.objects() {} }
                #expect(error?.reason == .malformedResponse)
            }
        }
    }

    @Test("a list that repeats its token is an error")
    func circle() async throws {
        let page = """
            <ListBucketResult><IsTruncated>true</IsTruncated>
            <Contents><Key>test/a</Key><Size>1</Size></Contents>
            <NextContinuationToken>again</NextContinuationToken></ListBucketResult>
            """
        try await FakeServer.run { _, _ in
            .xml(200, page)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { for try await _ in bucket.objects() {} }
                #expect(error?.reason == .malformedResponse)
            }
            #expect(server.requests.count < 5)
        }
    }

    @Test("objects of other locations and with invalid names are left out of a list")
    func foreignKeys() async throws {
        let names = ["test/a", "other/b", "test/", "test/../c", "test/d"]
        let contents = names.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        let page = "<ListBucketResult>\(contents)</ListBucketResult>"
        try await FakeServer.run { _, _ in
            .xml(200, page)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                var keys: [String] = []
                for try await object in bucket.objects() { keys.append(object.key.rawValue) }
                #expect(keys == ["a", "d"])
            }
        }
    }

    enum OtherContent: CaseIterable {
        case otherBytes, shorter, longer, none

        var bytes: [UInt8] {
            switch self {
            case .otherBytes: randomBytes(100_000, seed: 2)
            case .shorter: content.dropLast()
            case .longer: content + [0]
            case .none: []
            }
        }
    }

    @Test(
        "wrong bytes are an error of their own, after a second attempt, and leave no file",
        arguments: OtherContent.allCases)
    func wrongBytes(sent: OtherContent) async throws {
        let key = try #require(key)
        let folder = try TestFolder()
        try await FakeServer.run { _, _ in
            .respond(200, body: sent.bytes)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure {
                    try await bucket.download(key, to: folder.path("x"), expecting: Self.digest)
                }
                #expect(error?.reason == .wrongBytes)
            }
            #expect(server.requests.count == 2)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("a download whose connection breaks starts again", arguments: [0, 1, 50_000, 99_999])
    func cutDownload(count: Int) async throws {
        let key = try #require(key)
        let folder = try TestFolder()
        try await FakeServer.run { _, number in
            number < 2
                ? .cut(200, body: Self.content, after: count) : .respond(200, body: Self.content)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                try await bucket.download(key, to: folder.path("x"), expecting: Self.digest)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
        #expect(try [UInt8](Data(contentsOf: folder.url.appending(path: "x"))) == Self.content)
    }

    @Test("a file that cannot be written is an error of the file")
    func unwritable() async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .respond(200, body: Self.content)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure {
                    try await bucket.download(key, to: "/nowhere/x", expecting: Self.digest)
                }
                #expect(error?.reason == .localFile)
                #expect(
                    error?.description
                        == "/nowhere/x: cannot be written: no such file or directory")
            }
        }
    }

    @Test(
        "a range is refused if the server sends another one, or more",
        arguments: [
            FakeServer.Reply.respond(200, body: content),
            .respond(206, ["content-range": "bytes 0-9/100000"], body: [1]),
            .respond(206, ["content-range": "bytes 1-10/100000"], body: Array(content.prefix(10))),
            .respond(206, ["content-range": "bytes 0-9/100000"], body: Array(content.prefix(11))),
        ])
    func otherRange(reply: FakeServer.Reply) async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            reply
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.bytes(of: key, in: 0..<10) }
                #expect(error != nil)
            }
        }
    }

    @Test(
        "an object that ends before a range has wrong bytes",
        arguments: [
            FakeServer.Reply.error(416, "InvalidRange"),
            .respond(206, ["content-range": "bytes 0-4/5"], body: Array(content.prefix(5))),
        ])
    func truncated(reply: FakeServer.Reply) async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            reply
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.bytes(of: key, in: 0..<10) }
                #expect(error?.reason == .wrongBytes)
            }
        }
    }

    @Test("an object of an archival storage class is unreadable, and the error says what to do")
    func archivalClass() async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .error(403, "InvalidObjectState")
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.bytes(of: key, in: 0..<10) }
                #expect(error?.reason == .unreadable)
                #expect(error?.problem.suggestion?.contains("archival storage classes") == true)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "a redirect is not followed, and its error names the region",
        arguments: [301, 302, 307, 308])
    func redirect(status: Int) async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .respond(200)
        } _: { other in
            try await FakeServer.run { _, _ in
                .error(
                    status, "PermanentRedirect",
                    ["location": other.url, "x-amz-bucket-region": "eu-west-3"])
            } _: { server in
                try await withBucket(at: server.url) { bucket in
                    let error = await failure { try await bucket.upload([1], as: key) }
                    #expect(
                        error?.description.hasSuffix("set blobs.region to eu-west-3") == true)
                }
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test("an object that is not deleted with others is an error with its key")
    func deletion() async throws {
        let keys = try ["a", "b"].map { try ObjectKey.test($0) }
        func error(_ key: String, _ code: String) -> String {
            "<Error><Key>test/\(key)</Key><Code>\(code)</Code></Error>"
        }
        let answer =
            "<DeleteResult>\(error("a", "NoSuchKey"))\(error("b", "AccessDenied"))</DeleteResult>"
        try await FakeServer.run { _, _ in
            .xml(200, answer)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.delete(keys) }
                #expect(error?.reason == .accessDenied)
                #expect(error?.description.hasPrefix("s3://example-bucket/test/b: ") == true)
            }
            #expect(server.requests.first?.header("content-md5") != nil)
        }
    }

    @Test("no error contains a secret, nor what the server says")
    func secrets() async throws {
        let key = try #require(key)
        let secret = CredentialSettings.exampleSecret
        let body = "<Error><Code>\(secret)\n</Code><Message>\(secret)</Message></Error>"
        try await FakeServer.run { _, _ in
            .xml(403, body)
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let error = await failure { try await bucket.upload([1], as: key) }
                #expect(
                    error?.description
                        == "s3://example-bucket/test/some/object: PUT failed: responded 403: check the credentials and their rights"
                )
            }
        }
    }

    @Test("a cancelled request ends")
    func cancellation() async throws {
        let key = try #require(key)
        try await FakeServer.run { _, _ in
            .silence
        } _: { server in
            try await withBucket(at: server.url) { bucket in
                let task = Task { try await bucket.upload([1], as: key) }
                #expect(await eventually { !server.requests.isEmpty })
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }
}
