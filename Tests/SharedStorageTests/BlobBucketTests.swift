import Foundation
import JournalSupport
import Problems
import ProxySupport
import SharedDatabase
import SymbolIntake
import TestSupport
import Testing

@testable import ObjectStorage
@testable import SharedStorage

/// Blobs of two nodes with one PostgreSQL and one SeaweedFS.
@Suite("Blobs in a bucket", .ownThreads, .timeLimit(.minutes(10)))
struct BlobBucketTests {
    @Test("a blob that one node stores is fetched by another")
    func fetch() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            let others = BlobBucket(nodes.bucket, database: nodes.second, grace: .seconds(86_400))
            let file = try nodes.file(1, count: 100_000)
            let target = nodes.folder.path("fetched")
            #expect(try await !others.contains(blobName(1)))
            #expect(try await !others.fetch(blobName(1), to: target))
            try await blobs.keep(fileAt: file, as: blobName(1))
            #expect(try await others.contains(blobName(1)))
            #expect(try await others.fetch(blobName(1), to: target))
            #expect(
                FileManager.default.contents(atPath: target)
                    == FileManager.default.contents(atPath: file))
            let names = try await nodes.objects
            #expect(names.count == 1)
            #expect(names.first?.hasPrefix("blobs/11/\(blobName(1))-") == true)
        }
    }

    @Test("a blob that is stored is not uploaded again")
    func known() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            try await blobs.keep(fileAt: try nodes.file(1), as: blobName(1))
            let before = try await nodes.objects
            try await nodes.age("blob", days: 30)
            // The file is not even read.
            try await blobs.keep(fileAt: nodes.folder.path("none"), as: blobName(1))
            #expect(try await nodes.objects == before)
            #expect(try await blobs.names().isEmpty)
        }
    }

    @Test("of the objects of nodes that store a blob at once, one is left")
    func race() async throws {
        try await TestNodes.run { nodes in
            let file = try nodes.file(1)
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    let database = number % 2 == 0 ? nodes.first : nodes.second
                    let blobs = BlobBucket(
                        nodes.bucket, database: database, grace: .seconds(86_400))
                    group.addTask { try await blobs.keep(fileAt: file, as: blobName(1)) }
                }
                try await group.waitForAll()
            }
            #expect(try await nodes.objects.count == 1)
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            #expect(try await blobs.fetch(blobName(1), to: nodes.folder.path("x")))
        }
    }

    @Test("a blob stays while an upload may need it or a debug file does")
    func removal() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            try await blobs.keep(fileAt: try nodes.file(1), as: blobName(1))
            try await blobs.remove(blobName(1))
            #expect(try await blobs.contains(blobName(1)))
            try await nodes.age("blob", days: 30)
            _ = try await nodes.second.add(debugFile(of: image(1), blob: blobName(1)))
            try await blobs.remove(blobName(1))
            #expect(try await blobs.contains(blobName(1)))
            #expect(try await blobs.names().isEmpty)
            _ = try await nodes.second.remove(image(1), of: nil)
            #expect(try await blobs.names() == [blobName(1)])
            try await blobs.remove(blobName(1))
            #expect(try await !blobs.contains(blobName(1)))
            #expect(try await nodes.objects.isEmpty)
        }
    }

    @Test("a blob without a debug file is an orphan only after the grace")
    func grace() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(
                nodes.bucket, database: nodes.first, grace: .seconds(7 * 86_400))
            try await blobs.keep(fileAt: try nodes.file(1), as: blobName(1))
            try await nodes.age("blob", days: 6)
            #expect(try await blobs.names().isEmpty)
            try await nodes.age("blob", days: 8)
            #expect(try await blobs.names() == [blobName(1)])
        }
    }

    @Test("a blob with wrong bytes is refused, and replaced by the next upload")
    func damage() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            let file = try nodes.file(1)
            try await blobs.keep(fileAt: file, as: blobName(1))
            let damaged = try #require(try await nodes.objects.first)
            try await nodes.bucket.upload(Array("other".utf8), as: try testKey(damaged))
            let target = nodes.folder.path("fetched")
            let error = await #expect(throws: StorageError.self) {
                try await withBucket(
                    at: nodes.endpoint, prefix: nodes.prefix, retry: .quick
                ) { bucket in
                    try await BlobBucket(bucket, database: nodes.first, grace: .seconds(86_400))
                        .fetch(blobName(1), to: target)
                }
            }
            #expect(error?.problem.subject?.hasSuffix(damaged) == true)
            #expect(!FileManager.default.fileExists(atPath: target))
            #expect(try await !blobs.contains(blobName(1)))
            try await blobs.keep(fileAt: file, as: blobName(1))
            #expect(try await blobs.contains(blobName(1)))
            #expect(try await blobs.fetch(blobName(1), to: target))
        }
    }

    @Test("a blob whose object was lost is missing until the file is uploaded again")
    func loss() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            let file = try nodes.file(1)
            try await blobs.keep(fileAt: file, as: blobName(1))
            let lost = try #require(try await nodes.objects.first)
            try await nodes.bucket.delete([try testKey(lost)])
            let target = nodes.folder.path("fetched")
            #expect(try await !blobs.fetch(blobName(1), to: target))
            #expect(try await !blobs.contains(blobName(1)))
            try await blobs.keep(fileAt: file, as: blobName(1))
            #expect(try await blobs.fetch(blobName(1), to: target))
        }
    }

    @Test("a blob that the bucket returns again is no longer damaged")
    func returned() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            let file = try nodes.file(1)
            try await blobs.keep(fileAt: file, as: blobName(1))
            let lost = try testKey(try #require(try await nodes.objects.first))
            try await nodes.bucket.delete([lost])
            let target = nodes.folder.path("fetched")
            #expect(try await !blobs.fetch(blobName(1), to: target))
            try await nodes.bucket.upload(fileAt: file, as: lost)
            #expect(try await !blobs.contains(blobName(1)))
            #expect(try await blobs.fetch(blobName(1), to: target))
            #expect(try await blobs.contains(blobName(1)))
        }
    }

    @Test("an upload whose connection is cut stores the blob, or fails and succeeds later")
    func cut() async throws {
        try await TestNodes.run { nodes in
            let port = try #require(URL(string: nodes.endpoint)?.port)
            let proxy = try await TCPProxy(to: .port(port))
            let others = BlobBucket(nodes.bucket, database: nodes.second, grace: .seconds(86_400))
            var numbers = SplitMix64(seed: 1)
            var failureCount = 0
            try await withBucket(
                at: "http://127.0.0.1:\(proxy.port)", prefix: nodes.prefix, retry: .once
            ) { bucket in
                let blobs = BlobBucket(bucket, database: nodes.first, grace: .seconds(86_400))
                for number in UInt8(0)..<12 {
                    let (file, name) = (try nodes.file(number), blobName(number))
                    // The head of the request, 1,000 bytes and the response.
                    proxy.fault = .cutAfterBytes(Int.random(in: 0..<2_000, using: &numbers))
                    let isStored = (try? await blobs.keep(fileAt: file, as: name)) != nil
                    proxy.fault = nil
                    #expect(try await others.contains(name) == isStored)
                    if !isStored {
                        failureCount += 1
                        try await blobs.keep(fileAt: file, as: name)
                    }
                    let target = nodes.folder.path("fetched-\(number)")
                    #expect(try await others.fetch(name, to: target))
                    #expect(
                        FileManager.default.contents(atPath: target)
                            == FileManager.default.contents(atPath: file))
                }
            }
            #expect(failureCount > 3)
            // Those that were stored without a row go with the next sweep.
            let objectCount = try await nodes.objects.count
            #expect((12...12 + failureCount).contains(objectCount))
            try await proxy.close()
        }
    }

    @Test("an error names the bucket, what was tried and what to check")
    func away() async throws {
        try await TestNodes.run { nodes in
            let endpoint = "http://127.0.0.1:\(try freePort())"
            let file = try nodes.file(1)
            let error = await #expect(throws: StorageError.self) {
                try await withBucket(at: endpoint, prefix: "away", retry: .quick) { bucket in
                    try await BlobBucket(bucket, database: nodes.first, grace: .seconds(86_400))
                        .keep(fileAt: file, as: blobName(1))
                }
            }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("s3://example-bucket/away/blobs/11/"))
            #expect(text.contains("PUT failed in 2 attempts: "))
            #expect(text.hasSuffix(": check blobs.endpoint and the network"))
            #expect(error?.isFull == false)
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            #expect(try await !blobs.contains(blobName(1)))
        }
    }
}
