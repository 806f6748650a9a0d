import CallStacks
import Foundation
import JournalSupport
import Logging
import SharedDatabase
import Symbolication
import TestSupport
import Testing

@testable import ObjectStorage
@testable import SharedStorage
@testable import SymbolIntake

/// The symbols of nodes with one PostgreSQL and one SeaweedFS.
@Suite("Symbols of several nodes", .ownThreads, .timeLimit(.minutes(10)))
struct SymbolNodeTests {
    @Test("what one node stores is found by the others, which build no index")
    func uploads() async throws {
        try await TestNodes.run { nodes in
            let first = try SymbolNode(nodes, nodes.first)
            let second = try SymbolNode(nodes, nodes.second) { $0.executable = "/bin/false" }
            let results = try await first.upload(library)
            #expect(results.map(\.status) == [.stored])
            #expect(await second.names() == ["f"])
            #expect(try await nodes.objects.map { $0.prefix(6) } == ["blobs/", "indexe"])
            // The same file is known to all.
            let repeated = try await SymbolNode(nodes, nodes.second).upload(library)
            #expect(repeated.map(\.status) == [.duplicate])
            #expect(try await nodes.objects.count == 2)
        }
    }

    @Test("nodes that upload the same file at once store it once")
    func race() async throws {
        try await TestNodes.run { nodes in
            let all = try [nodes.first, nodes.second, nodes.first, nodes.second].map {
                try SymbolNode(nodes, $0)
            }
            let statuses = try await withThrowingTaskGroup(of: [IntakeResult].self) { group in
                for node in all { group.addTask { try await node.upload(library) } }
                return try await group.reduce(into: []) { $0 += $1.map(\.status) }
            }
            #expect(statuses.count { $0 == .stored } == 1)
            #expect(statuses.count { $0 == .duplicate } == 3)
            #expect(try await nodes.objects.count { $0.hasPrefix("blobs/") } == 1)
            let next = try SymbolNode(nodes, nodes.first) { $0.executable = "/bin/false" }
            #expect(await next.names() == ["f"])
        }
    }

    @Test("an index that no node has is built by one of them, from the blob in the bucket")
    func builtOnce() async throws {
        try await TestNodes.run { nodes in
            _ = try await SymbolNode(nodes, nodes.first).upload(library)
            try await nodes.cluster.run("DELETE FROM index_object")
            let program = try nodes.countingProgram()
            let others = try [nodes.first, nodes.second, nodes.second].map {
                try SymbolNode(nodes, $0) { $0.executable = program.path }
            }
            let names = await withTaskGroup(of: [String].self) { group in
                for node in others { group.addTask { await node.names() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(names == [["f"], ["f"], ["f"]])
            #expect(try Data(contentsOf: program.count).count == 1)
        }
    }

    @Test("if the node that builds an index is killed, another one builds it after its lease")
    func builderKilled() async throws {
        try await TestNodes.run { nodes in
            _ = try await SymbolNode(nodes, nodes.first).upload(library)
            try await nodes.cluster.run("DELETE FROM index_object")
            let mark = try nodes.folder.write("", to: "builds")
            let hanging = try nodes.program(
                "case \"$2\" in index) while [ -e '\(mark)' ]; do sleep 0.1; done;; esac")
            let builder = try SymbolNode(nodes, nodes.first) { $0.executable = hanging }
            async let names = builder.names()
            let isBuilding = try await eventually {
                try await nodes.cluster.run("SELECT 1 FROM task").count == 1
            }
            #expect(isBuilding)
            // Nothing renews the lease of a node that was killed.
            try await nodes.cluster.run(
                """
                UPDATE task SET node = '00000000-0000-0000-0000-000000000001',
                    until = now() + interval '1 second'
                """)
            let other = try SymbolNode(nodes, nodes.second)
            #expect(await other.names() == ["f"])
            try FileManager.default.removeItem(atPath: mark)
            #expect(await names == ["f"])
        }
    }

    @Test("an index with wrong bytes in the bucket is built again")
    func wrongBytes() async throws {
        try await TestNodes.run { nodes in
            _ = try await SymbolNode(nodes, nodes.first).upload(library)
            let index = try #require(
                try await nodes.objects.first { $0.hasPrefix(IndexBucket.folder) })
            try await nodes.bucket.upload([1, 2, 3], as: try testKey(index))
            try await withBucket(
                at: nodes.endpoint, prefix: nodes.prefix, retry: .quick
            ) { bucket in
                let second = try SymbolNode(nodes, nodes.second, bucket)
                #expect(await second.names() == ["f"])
            }
            let next = try SymbolNode(nodes, nodes.second) { $0.executable = "/bin/false" }
            #expect(await next.names() == ["f"])
        }
    }

    @Test(
        "a debug file that the bucket has lost or damaged is repaired by an upload to another node",
        arguments: [true, false])
    func repair(isLost: Bool) async throws {
        try await TestNodes.run { nodes in
            _ = try await SymbolNode(nodes, nodes.first).upload(library)
            for object in try await nodes.objects.map(testKey) {
                try await isLost
                    ? nodes.bucket.delete([object]) : nodes.bucket.upload([1, 2, 3], as: object)
            }
            try await withBucket(
                at: nodes.endpoint, prefix: nodes.prefix, retry: .quick
            ) { bucket in
                let first = try SymbolNode(nodes, nodes.first, bucket)
                try await first.symbols.prepare()
                #expect(await first.names() != ["f"])
                let second = try SymbolNode(nodes, nodes.second, bucket)
                #expect(try await second.upload(library).map(\.status) == [.stored])
                try await first.symbols.reflectChanges()
                #expect(await first.names() == ["f"])
            }
        }
    }

    @Test("while the bucket is away, uploads fail and symbols are missing for now")
    func away() async throws {
        try await TestNodes.run { nodes in
            let first = try SymbolNode(nodes, nodes.first)
            _ = try await first.upload(library)
            let endpoint = "http://127.0.0.1:\(try freePort())"
            try await withBucket(at: endpoint, prefix: "away", retry: .quick) { bucket in
                let second = try SymbolNode(nodes, nodes.second, bucket)
                #expect(await second.names() == ["missing_image"])
                let error = await #expect(throws: IntakeError.self) {
                    try await second.upload(otherLibrary)
                }
                #expect(error?.reason == .unavailable)
                #expect("\(error, default: "")".contains("s3://example-bucket/away/blobs/"))
            }
            // What a node has locally needs no bucket.
            #expect(await first.names() == ["f"])
        }
    }
}

private let library = testLibrary(1)
private let otherLibrary = testLibrary(2)

extension TestNodes {
    /// Creates a program that appends a line to `count` whenever it builds an index.
    fileprivate func countingProgram() throws -> (path: String, count: URL) {
        let count = folder.url.appendingPathComponent("count")
        return (try program("case \"$2\" in index) echo >> '\(count.path)';; esac"), count)
    }

    /// Creates a program that executes a line of shell, and then the built executable.
    fileprivate func program(_ line: String) throws -> String {
        try writeExecutable(
            """
            #!/bin/sh
            \(line)
            exec '\(executable)' "$@"
            """, to: folder.url.appendingPathComponent("program-\(UUID().uuidString)"))
    }
}
