import Foundation
import JournalSupport
import ObjectStorage
import SharedDatabase
import SymbolIntake
import TestSupport
import Testing

@testable import SharedStorage

/// Symbol maps and chunks of several nodes with one PostgreSQL and one SeaweedFS.
@Suite("Shared files in a bucket", .ownThreads, .timeLimit(.minutes(10)))
struct FileBucketTests {
    private func files(_ nodes: TestNodes, _ database: SharedDatabase) -> FileBucket {
        FileBucket(nodes.bucket, database: database, node: ClusterNode(name: "test"))
    }

    @Test("a file that one node stores is found and fetched by another, and can be replaced")
    func fetch() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = (files(nodes, nodes.first), files(nodes, nodes.second))
            let target = nodes.folder.path("fetched")
            for number in [UInt8(1), 2] {
                let path = try nodes.file(number)
                try await first.keep(fileAt: path, as: "maps/a/x", for: nil)
                #expect(try await second.fetch("maps/a/x", to: target))
                #expect(
                    FileManager.default.contents(atPath: target)
                        == FileManager.default.contents(atPath: path))
            }
            #expect(try await nodes.objects.count == 1)
            try await first.keep(fileAt: try nodes.file(3), as: "maps/b/x", for: nil)
            #expect(try await second.files(under: "maps/a/").map(\.name) == ["maps/a/x"])
            #expect(try await second.files(under: "maps/").count == 2)
            let bytes = try await second.files(under: "maps/").reduce(0) { $0 + $1.byteCount }
            #expect(bytes > 0)
            #expect(try await second.byteCount(under: "maps/") == bytes)
            #expect(try await second.byteCount(under: "other/") == 0)
            #expect(try await !second.fetch("maps/c", to: target))
            try await second.remove(["maps/a/x", "maps/b/x"])
            #expect(try await !first.fetch("maps/a/x", to: target))
            #expect(try await nodes.objects.isEmpty)
        }
    }

    @Test("a chunk whose object is lost is removed, but not one that has replaced it")
    func lostObject() async throws {
        try await TestNodes.run { nodes in
            let all = files(nodes, nodes.first)
            let rows = FileObjects(in: nodes.second)
            let target = nodes.folder.path("fetched")
            try await all.keep(fileAt: try nodes.file(1), as: "chunks/a", for: nil)
            let old = try #require(try await rows.object(of: "chunks/a")).name
            try await all.keep(fileAt: try nodes.file(2), as: "chunks/a", for: nil)
            #expect(try await rows.remove("chunks/a", storedAs: old).isEmpty)
            #expect(try await all.fetch("chunks/a", to: target))
            let new = try #require(try await rows.object(of: "chunks/a")).name
            try await nodes.bucket.delete([try testKey(new)])
            #expect(try await !all.fetch("chunks/a", to: target))
            #expect(try await rows.object(of: "chunks/a") == nil)
            try await all.keep(fileAt: try nodes.file(1), as: "maps/a", for: nil)
            let map = try #require(try await rows.object(of: "maps/a")).name
            try await nodes.bucket.delete([try testKey(map)])
            #expect(try await !all.fetch("maps/a", to: target))
            #expect(try await rows.object(of: "maps/a") != nil)
        }
    }

    @Test("files stay as long as they are used, and those without a limit until they are removed")
    func expiry() async throws {
        try await TestNodes.run { nodes in
            let all = files(nodes, nodes.first)
            for (name, lifetime) in [
                ("chunks/a", Duration.seconds(60)), ("chunks/b", .seconds(7_200)),
            ] {
                try await all.keep(fileAt: try nodes.file(1), as: name, for: lifetime)
            }
            try await all.keep(fileAt: try nodes.file(1), as: "maps/a", for: nil)
            try await all.removeExpiring(under: "chunks/", within: .zero)
            #expect(try await all.files(under: "chunks/").count == 2)
            #expect(
                try await all.extend(["chunks/a", "chunks/x"], for: .seconds(7_200))
                    == ["chunks/a"])
            try await all.removeExpiring(under: "chunks/", within: .seconds(3_600))
            #expect(try await all.files(under: "chunks/").count == 2)
            _ = try await all.extend(["chunks/b"], for: .seconds(600))
            try await all.removeExpiring(under: "chunks/", within: .seconds(3_600))
            #expect(try await all.files(under: "chunks/").map(\.name) == ["chunks/a"])
            #expect(try await all.files(under: "maps/").count == 1)
            #expect(try await nodes.objects.count == 2)
        }
    }

    @Test("more expired files than a result may have rows are removed with their objects")
    func manyExpired() async throws {
        try await TestNodes.run { nodes in
            let all = files(nodes, nodes.first)
            try await all.keep(fileAt: try nodes.file(1), as: "chunks/zzz", for: .zero)
            try await nodes.cluster.run(
                """
                INSERT INTO shared_file (name, object, bytes, sha256, expiry)
                SELECT 'chunks/' || n, 'files/' || n, 1, '\\x00', now() - interval '1 hour'
                FROM generate_series(1, 10001) n
                """)
            try await all.removeExpiring(under: "chunks/", within: .zero)
            #expect(try await all.files(under: "chunks/").isEmpty)
            #expect(try await nodes.objects.isEmpty)
        }
    }

    @Test("one node at a time works under a name")
    func alone() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = (files(nodes, nodes.first), files(nodes, nodes.second))
            let result = try await first.alone("file") {
                let other = try await second.alone("file") { 2 }
                #expect(other == nil)
                #expect(try await second.alone("another file") { 3 } == 3)
                return 1
            }
            #expect(result == 1)
            #expect(try await second.alone("file") { 2 } == 2)
        }
    }
}
