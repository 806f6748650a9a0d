import CallStacks
import JournalSupport
import Logging
import NIOHTTP1
import SharedDatabase
import SymbolIntake
import TestSupport
import Testing

@testable import ObjectStorage
@testable import SharedStorage

/// The removal of objects in SeaweedFS that no row of PostgreSQL refers to.
@Suite("Sweep of objects", .ownThreads, .timeLimit(.minutes(10)))
struct ObjectSweepTests {
    private func sweep(_ nodes: TestNodes, grace: Duration) -> ObjectSweep {
        ObjectSweep(
            nodes.bucket, database: nodes.first, node: ClusterNode(name: "test"), grace: grace,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("objects without a row are removed once they are older than the grace")
    func objects() async throws {
        try await TestNodes.run { nodes in
            let blobs = BlobBucket(nodes.bucket, database: nodes.first, grace: .seconds(86_400))
            try await blobs.keep(fileAt: try nodes.file(1), as: blobName(1))
            let kept = try await nodes.objects
            let strays = ["archive/1/stray", "blobs/11/stray", "indexes/4/stray", "other/x"]
            for stray in strays { try await nodes.bucket.upload([1], as: try testKey(stray)) }
            try await nodes.cluster.run("UPDATE cluster SET made = now() - interval '9 days'")
            try await sweep(nodes, grace: .seconds(86_400)).sweep()
            #expect(try await nodes.objects == (kept + strays).sorted())
            // The server's times have a resolution of a second.
            let isSwept = try await eventually {
                try await sweep(nodes, grace: .zero).sweep()
                return try await nodes.objects == kept + ["other/x"]
            }
            #expect(isSwept)
        }
    }

    @Test("nothing is removed for a database that is younger than the grace")
    func newDatabase() async throws {
        try await TestNodes.run { nodes in
            let names = ObjectNames(in: nodes.first)
            let yesterday = try await names.time(before: .seconds(86_400))
            #expect(yesterday == nil)
            let now = try await names.time(before: .zero)
            #expect(now != nil)
        }
    }

    @Test("parts of an upload that was never completed are removed")
    func unfinishedUploads() async throws {
        try await TestNodes.run { nodes in
            let key = try testKey("blobs/11/unfinished")
            _ = try await nodes.bucket.document(
                "InitiateMultipartUploadResult",
                request: StorageRequest(.POST, key: key, query: [QueryItem(name: "uploads")]))
            #expect(try await nodes.unfinished == [key])
            let isAborted = try await eventually {
                try await sweep(nodes, grace: .zero).sweep()
                return try await nodes.unfinished.isEmpty
            }
            #expect(isAborted)
        }
    }

    @Test("a step that fails does not keep the others from being carried out")
    func failingStep() async throws {
        try await TestNodes.run { nodes in
            try await nodes.bucket.upload([1], as: try testKey("blobs/11/stray"))
            _ = try await nodes.bucket.document(
                "InitiateMultipartUploadResult",
                request: StorageRequest(
                    .POST, key: try testKey("blobs/11/unfinished"),
                    query: [QueryItem(name: "uploads")]))
            // Which objects have a row is unknown.
            try await nodes.cluster.run("ALTER TABLE archive RENAME TO away")
            let isAborted = try await eventually {
                try await sweep(nodes, grace: .zero).sweep()
                return try await nodes.unfinished.isEmpty
            }
            #expect(isAborted)
            #expect(try await nodes.objects == ["blobs/11/stray"])
        }
    }

    @Test("indexes of debug files that were never stored are removed after the grace")
    func indexes() async throws {
        try await TestNodes.run { nodes in
            let indexes = IndexBucket(
                nodes.bucket, database: nodes.first, node: ClusterNode(name: "test"))
            let stored = debugFile(of: image(1), blob: blobName(1))
            let lost = debugFile(of: image(2), blob: blobName(2))
            for file in [stored, lost] {
                try await indexes.keep(fileAt: try nodes.file(1), of: file.key, format: 4)
            }
            _ = try await nodes.second.add(stored)
            try await sweep(nodes, grace: .seconds(86_400)).sweep()
            #expect(try await nodes.objects.count == 2)
            try await nodes.age("index_object", days: 2)
            try await sweep(nodes, grace: .seconds(86_400)).sweep()
            #expect(try await nodes.objects.count == 1)
            let target = nodes.folder.path("x")
            #expect(try await indexes.fetch(stored.key, format: 4, to: target))
            #expect(try await !indexes.fetch(lost.key, format: 4, to: target))
        }
    }

    @Test("of several nodes one sweeps, once a day")
    func once() async throws {
        try await TestNodes.run { nodes in
            let tasks = [nodes.first, nodes.second].map {
                SharedTasks(of: $0, for: ClusterNode(name: "test"))
            }
            var count = 0
            for task in tasks + tasks {
                if try await task.begin("objects", every: .seconds(86_400)) { count += 1 }
            }
            #expect(count == 1)
            try await nodes.cluster.run("UPDATE task SET until = now() - interval '1 second'")
            #expect(try await tasks[1].begin("objects", every: .seconds(86_400)))
        }
    }
}

extension TestNodes {
    fileprivate var unfinished: [ObjectKey] {
        get async throws {
            var keys: [ObjectKey] = []
            for try await upload in bucket.unfinishedUploads() { keys.append(upload.key) }
            return keys
        }
    }
}
