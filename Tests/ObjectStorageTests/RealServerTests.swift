import Foundation
import NIOHTTP1
import ObjectStorageSupport
import Problems
import TestSupport
import Testing

@testable import ObjectStorage

/// All operations with SeaweedFS.
@Suite("A real server", .ownThreads, .timeLimit(.minutes(10)))
struct RealServerTests {
    @Test("an object is uploaded from memory, found, read, downloaded and deleted")
    func memory() async throws {
        let content = randomBytes(300_000, seed: 10)
        let folder = try TestFolder()
        try await RealServer.with("memory") { bucket in
            let key = try ObjectKey.test("folder/object")
            #expect(try await bucket.status(of: key) == nil)
            try await bucket.upload(content, as: key)
            let status = try #require(try await bucket.status(of: key))
            #expect(status.byteCount == 300_000)
            #expect(status.modified != nil)
            let range = Array(content[100_000..<200_001])
            #expect(
                try await bucket.bytes(
                    of: key, in: 100_000..<200_001, expecting: ObjectDigest(of: range)) == range)
            try await bucket.download(
                key, to: folder.path("x"), expecting: ObjectDigest(of: content))
            #expect(try [UInt8](Data(contentsOf: folder.url.appending(path: "x"))) == content)
            try await bucket.delete([key])
            try await bucket.delete([key])
            #expect(try await bucket.status(of: key) == nil)
            let error = await failure { try await bucket.bytes(of: key, in: 0..<1) }
            #expect(error?.reason == .notFound)
        }
    }

    @Test("an empty object is an object")
    func empty() async throws {
        let folder = try TestFolder()
        try await RealServer.with("empty") { bucket in
            let key = try ObjectKey.test("empty")
            try await bucket.upload(fileAt: folder.write([], to: "file"), as: key)
            #expect(try await bucket.status(of: key)?.byteCount == 0)
            try await bucket.download(key, to: folder.path("x"), expecting: ObjectDigest(of: []))
            #expect(try Data(contentsOf: folder.url.appending(path: "x")).isEmpty)
        }
    }

    @Test(
        "a file of several parts arrives whole",
        arguments: [
            5 << 20, (5 << 20) + 1, 13 << 20,
        ])
    func parts(count: Int) async throws {
        let content = randomBytes(count, seed: UInt64(count))
        let folder = try TestFolder()
        let file = try folder.write(content, to: "file")
        try await RealServer.with("parts") { bucket in
            let key = try ObjectKey.test("object-\(count)")
            try await bucket.upload(fileAt: file, as: key)
            let digest = ObjectDigest(of: content)
            try await bucket.download(key, to: folder.path("x"), expecting: digest)
            #expect(try [UInt8](Data(contentsOf: folder.url.appending(path: "x"))) == content)
            for try await upload in bucket.unfinishedUploads() {
                #expect(upload.key != key)
            }
        }
    }

    @Test("an object has any name that is valid")
    func names() async throws {
        let names = [
            "a b", "a+b", "a%20b", "é/ü", "\u{1f600}", "a&b=c", "~-_.!*'();:@$,[]{}|^`\"<>",
            "a?b#c",
            "100%", String(repeating: "x", count: 200),
        ]
        try await RealServer.with("names") { bucket in
            for name in names {
                let key = try ObjectKey.test(name)
                try await bucket.upload(Array(name.utf8), as: key)
                let count = Int64(name.utf8.count)
                #expect(try await bucket.bytes(of: key, in: 0..<count) == Array(name.utf8))
            }
            var listed: Set<String> = []
            for try await object in bucket.objects() { listed.insert(object.key.rawValue) }
            #expect(listed == Set(names))
            try await bucket.delete(names.compactMap { ObjectKey($0) })
            for try await object in bucket.objects() { Issue.record("\(object.key) is left") }
        }
    }

    @Test(
        "a list has all objects of a prefix, whatever the size of its pages",
        arguments: [1, 7, 1_000])
    func list(pageLimit: Int) async throws {
        try await RealServer.with("list-\(pageLimit)") { bucket in
            let keys = try (0..<25).map { try ObjectKey.test("a/\($0 % 3)/\($0)") }
            for key in keys { try await bucket.upload([1, 2], as: key) }
            try await bucket.upload([1], as: try ObjectKey.test("b/x"))
            var listed: [ObjectKey] = []
            for try await object in bucket.objects(under: "a/", pageLimit: pageLimit) {
                #expect(object.byteCount == 2)
                #expect(object.modified != nil)
                listed.append(object.key)
            }
            #expect(listed.count == 25)
            #expect(Set(listed) == Set(keys))
            try await bucket.delete(keys)
            var rest: [String] = []
            for try await object in bucket.objects() { rest.append(object.key.rawValue) }
            #expect(rest == ["b/x"])
        }
    }

    @Test("unfinished uploads are listed and aborted")
    func unfinished() async throws {
        try await RealServer.with("unfinished") { bucket in
            let keys = try (0..<5).map { try ObjectKey.test("object-\($0)") }
            for key in keys {
                _ = try await bucket.document(
                    "InitiateMultipartUploadResult",
                    request: StorageRequest(.POST, key: key, query: [QueryItem(name: "uploads")]))
            }
            var uploads: [UnfinishedUpload] = []
            for try await upload in bucket.unfinishedUploads(pageLimit: 2) {
                uploads.append(upload)
            }
            #expect(Set(uploads.map(\.key)) == Set(keys))
            #expect(uploads.allSatisfy { $0.started != nil })
            for upload in uploads { try await bucket.abort(upload) }
            if let first = uploads.first { try await bucket.abort(first) }
            for try await upload in bucket.unfinishedUploads() {
                Issue.record("\(upload.key) is left")
            }
        }
    }

    @Test("a digest that the body does not have is refused by the server or the download")
    func changedFile() async throws {
        let folder = try TestFolder()
        try await RealServer.with("changed") { bucket in
            let key = try ObjectKey.test("x")
            try await bucket.upload([1, 2, 3], as: key)
            let error = await failure {
                try await bucket.download(
                    key, to: folder.path("x"), expecting: ObjectDigest(of: [1, 2, 4]))
            }
            #expect(error?.reason == .wrongBytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("a wrong secret is refused without being shown")
    func wrongSecret() async throws {
        let wrong = CredentialSettings(environment: [
            "AWS_ACCESS_KEY_ID": RealServer.accessKeyID, "AWS_SECRET_ACCESS_KEY": "wr0ng",
        ])
        let server = try await RealServer.shared()
        try await withBucket(at: server.endpoint, credentials: wrong) { bucket in
            let error = await failure { try await bucket.upload([1], as: try ObjectKey.test("x")) }
            #expect(error?.reason == .accessDenied)
            #expect(
                error?.description
                    == "s3://example-bucket/test/x: PUT failed: responded 403 (SignatureDoesNotMatch): check the access key and its secret"
            )
        }
    }

    @Test("a machine whose clock is wrong uses the server's", arguments: [-86_400.0, 86_400.0])
    func clock(difference: TimeInterval) async throws {
        try await RealServer.with("clock", now: { Date().addingTimeInterval(difference) }) {
            bucket in
            let key = try ObjectKey.test("x\(difference)")
            #expect(try await bucket.status(of: key) == nil)
            try await bucket.upload([1], as: key)
        }
    }
}
