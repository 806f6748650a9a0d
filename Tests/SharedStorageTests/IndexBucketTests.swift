import CallStacks
import Foundation
import JournalSupport
import PostgreSQL
import SharedDatabase
import SymbolIntake
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage
@testable import SharedStorage

/// Indexes of several nodes with one PostgreSQL and one SeaweedFS.
@Suite("Indexes in a bucket", .ownThreads, .timeLimit(.minutes(10)))
struct IndexBucketTests {
    private let file = debugFile(of: image(1), blob: blobName(1)).key

    private func indexes(
        _ nodes: TestNodes, _ database: SharedDatabase, lease: Duration = .seconds(3_600)
    ) -> IndexBucket {
        IndexBucket(
            nodes.bucket, database: database, node: ClusterNode(name: "test"), lease: lease)
    }

    @Test("an index that one node stores is fetched by another, in its format only")
    func fetch() async throws {
        try await TestNodes.run { nodes in
            let first = indexes(nodes, nodes.first)
            let second = indexes(nodes, nodes.second)
            let path = try nodes.file(1)
            let target = nodes.folder.path("fetched")
            try await first.keep(fileAt: path, of: file, format: 4)
            #expect(try await second.fetch(file, format: 4, to: target))
            #expect(
                FileManager.default.contents(atPath: target)
                    == FileManager.default.contents(atPath: path))
            #expect(try await !second.fetch(file, format: 5, to: target))
            try await second.keep(fileAt: path, of: file, format: 5)
            let names = try await nodes.objects
            #expect(names.map { $0.prefix(10) } == ["indexes/4/", "indexes/5/"])
            try await second.remove(file)
            #expect(try await !first.fetch(file, format: 4, to: target))
            #expect(try await nodes.objects.isEmpty)
        }
    }

    @Test("an index with wrong bytes, or without its object, is missing until it is stored again")
    func damage() async throws {
        try await TestNodes.run { nodes in
            let target = nodes.folder.path("fetched")
            for isLost in [false, true] {
                let all = indexes(nodes, nodes.first)
                try await all.keep(fileAt: try nodes.file(1), of: file, format: 4)
                for name in try await nodes.objects {
                    if isLost {
                        try await nodes.bucket.delete([try testKey(name)])
                    } else {
                        try await nodes.bucket.upload([1, 2, 3], as: try testKey(name))
                    }
                }
                try await withBucket(
                    at: nodes.endpoint, prefix: nodes.prefix, retry: .quick
                ) { bucket in
                    let hasty = IndexBucket(
                        bucket, database: nodes.second, node: ClusterNode(name: "test"))
                    let isFetched = try await hasty.fetch(file, format: 4, to: target)
                    #expect(!isFetched)
                }
                #expect(!FileManager.default.fileExists(atPath: target))
                try await all.keep(fileAt: try nodes.file(1), of: file, format: 4)
                #expect(try await all.fetch(file, format: 4, to: target))
                try FileManager.default.removeItem(atPath: target)
            }
        }
    }

    @Test("one node at a time builds an index")
    func building() async throws {
        try await TestNodes.run { nodes in
            let first = indexes(nodes, nodes.first)
            let second = indexes(nodes, nodes.second)
            let inner = try await first.building(file, format: 4) {
                [
                    try await second.building(file, format: 4) { "second" },
                    try await second.building(file, format: 5) { "other" },
                ]
            }
            #expect(inner == [nil, "other"])
            let later = try await second.building(file, format: 4) { "second" }
            #expect(later == "second")
            let tasks = try await nodes.cluster.run("SELECT name FROM task")
            #expect(tasks.isEmpty)
        }
    }

    @Test("a node that builds an index for long keeps its task")
    func renewal() async throws {
        try await TestNodes.run { nodes in
            let first = indexes(nodes, nodes.first, lease: .seconds(3))
            let isRenewed = try await first.building(file, format: 4) {
                let start = try await nodes.taskEnd()
                return try await eventually { try await nodes.taskEnd() > start }
            }
            #expect(isRenewed == true)
        }
    }

    @Test("if the node that builds an index dies, another one builds it")
    func death() async throws {
        try await TestNodes.run { nodes in
            let dead = indexes(nodes, nodes.first)
            let second = indexes(nodes, nodes.second)
            let result = try await dead.building(file, format: 4) {
                try await nodes.cluster.run("UPDATE task SET until = now() - interval '1 second'")
                return try await second.building(file, format: 4) { "second" }
            }
            #expect(result == "second")
        }
    }
}

extension TestNodes {
    fileprivate func taskEnd() async throws -> Timestamp {
        let rows = try await cluster.run("SELECT max(until) FROM task")
        return try #require(rows.first).value(0, .timestamptz)
    }
}
