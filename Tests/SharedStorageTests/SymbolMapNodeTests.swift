import CallStacks
import Crypto
import Foundation
import JournalSupport
import SharedDatabase
import SymbolStores
import TestSupport
import Testing

@testable import SharedStorage
@testable import SymbolIntake

/// The symbol maps of nodes with one PostgreSQL and one SeaweedFS.
@Suite("Symbol maps of several nodes", .ownThreads, .timeLimit(.minutes(10)))
struct SymbolMapNodeTests {
    private let build = ImageID(bytes: [UInt8](repeating: 7, count: 16))!
    private let old = Array("old names".utf8)
    private let new = Array("new names".utf8)
    private var map: SymbolMapFolder.Part { .map(build) }

    @Test("a node replaces its copy of a map that another node has received with other names")
    func replaced() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = try (nodes.maps(nodes.first), nodes.maps(nodes.second))
            try await first.keep(old, as: map)
            #expect(try await second.update(for: build, of: .everyone))
            #expect(try await !second.update(for: build, of: .everyone))
            try await first.keep(new, as: map)
            #expect(try await second.has(new, as: map))
            #expect(try await !second.has(old, as: map))
            try await second.keep(old, as: map)
            #expect(try await first.update(for: build, of: .everyone))
        }
    }

    @Test("a copy of a map that is no longer shared is not taken for the map")
    func removed() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = try (nodes.maps(nodes.first), nodes.maps(nodes.second))
            try await first.keep(old, as: map)
            #expect(try await second.has(old, as: map))
            let name = SymbolMapStore.sharedPrefix(of: first.maps(of: .everyone)) + map.fileName
            try await first.shared?.remove([name])
            #expect(try await !second.has(old, as: map))
        }
    }

    @Test("an old copy of a map does not remove one that another node has received since")
    func oldCopy() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = try (nodes.maps(nodes.first), nodes.maps(nodes.second))
            try await first.keep(old, as: map)
            try await second.update(for: build, of: .everyone)
            try setModificationTime(
                of: second.maps(of: .everyone).location(of: map), to: UnixTime(rawValue: 0))
            try await second.removeUnused(catalogue: nodes.second)
            #expect(try await first.has(old, as: map))
            try await nodes.cluster.run("UPDATE shared_file SET expiry = now()")
            try await second.removeUnused(catalogue: nodes.second)
            #expect(try await !first.has(old, as: map))
            #expect(second.maps(of: .everyone).parts.isEmpty)
        }
    }

    @Test("a map is used if another node has the property list of its image")
    func propertyList() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = try (nodes.maps(nodes.first), nodes.maps(nodes.second))
            try await first.keep(old, as: map)
            _ = try await SymbolNode(nodes, nodes.second).upload(testLibrary(1, count: 16))
            let image = try #require(ImageID(bytes: [UInt8](repeating: 1, count: 16)))
            try await second.keep(propertyList, as: .propertyList(image))
            try setModificationTime(
                of: first.maps(of: .everyone).location(of: map), to: UnixTime(rawValue: 0))
            try await nodes.cluster.run("UPDATE shared_file SET expiry = now()")
            try await first.removeUnused(catalogue: nodes.first)
            #expect(try await second.has(old, as: map))
        }
    }

    @Test("a map that only a lost node had a copy of is removed once it expires, unless it is used")
    func lostNode() async throws {
        try await TestNodes.run { nodes in
            let (lost, rest) = try (nodes.maps(nodes.first), nodes.maps(nodes.second))
            try await lost.keep(old, as: map)
            try await rest.removeUnused(catalogue: nodes.second)
            #expect(try await lost.has(old, as: map))
            try await nodes.cluster.run("UPDATE shared_file SET expiry = now()")
            try await rest.removeUnused(catalogue: nodes.second)
            #expect(try await !lost.has(old, as: map))
        }
    }

    @Test("a map whose download fails stays shared")
    func failedDownload() async throws {
        try await TestNodes.run { nodes in
            let (first, second) = try (nodes.maps(nodes.first), nodes.maps(nodes.second))
            try await first.keep(old, as: map)
            try await nodes.cluster.run("UPDATE shared_file SET sha256 = sha256(sha256)")
            #expect(try await !second.update(for: build, of: .everyone))
            let name = SymbolMapStore.sharedPrefix(of: first.maps(of: .everyone)) + map.fileName
            #expect(try await second.shared?.file(name) != nil)
        }
    }

    private var propertyList: [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>DBGOriginalUUID</key><string>\(build)</string>
            </dict></plist>
            """.utf8)
    }
}

extension TestNodes {
    /// Returns the symbol maps of a new node.
    fileprivate func maps(_ database: SharedDatabase) throws -> SymbolMapStore {
        try SymbolNode(self, database).storage.symbolMaps
    }
}

extension SymbolMapStore {
    fileprivate func keep(_ bytes: [UInt8], as part: SymbolMapFolder.Part) async throws {
        let path = folders.newIncomingPath()
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try await keep(fileAt: path, as: part, of: .everyone)
    }

    fileprivate func has(_ bytes: [UInt8], as part: SymbolMapFolder.Part) async throws -> Bool {
        let checksum = SHA1Checksum(digest: Insecure.SHA1.hash(data: bytes))
        return try await contains(part, checksum: checksum, of: .everyone)
    }
}
