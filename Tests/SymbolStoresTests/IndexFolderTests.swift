import CallStacks
import Foundation
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Index folder")
struct IndexFolderTests {
    let folder: TestFolder
    let source: String

    init() throws {
        folder = try TestFolder()
        source = try folder.write(library(1), to: "symbols/x")
    }

    /// Returns the results of a new run.
    private func names() async -> [String] {
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [source]),
            cachedIn: IndexFolder(path: folder.path("cache")))
        return await symbols.names(identity(1))
    }

    private var kept: [URL] {
        folder.names(in: "cache").map { folder.url.appendingPathComponent("cache/\($0)") }
    }

    /// Stores a recognisable result in the cache: its index has another function.
    private func plantAnswer() async throws {
        let planted = try TestFolder()
        let other = try planted.write(library(1, function: "planted"), to: "x")
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [other]), cachedIn: IndexFolder(path: planted.path("cache")))
        _ = await symbols.names(identity(1))
        let index = try #require(planted.names(in: "cache").first)
        let bytes = try Data(contentsOf: planted.url.appendingPathComponent("cache/\(index)"))
        try bytes.write(to: try #require(kept.first))
    }

    @Test("a second run uses the cached index of the first")
    func secondRun() async throws {
        #expect(await names() == ["f"])
        #expect(kept.count == 1)
        try await plantAnswer()
        #expect(await names() == ["planted"])
    }

    @Test(
        "a damaged, truncated or empty index, or one of another version, is built again",
        arguments: ["header", "magic", "version", "half", "empty"])
    func damagedHeader(kind: String) async throws {
        #expect(await names() == ["f"])
        try await plantAnswer()
        let file = try #require(kept.first)
        var bytes = try Data(contentsOf: file)
        try #require(bytes.count > 130)
        switch kind {
        case "header": bytes[130] ^= 1
        case "magic": bytes[0] ^= 1
        case "version": bytes[8] ^= 1
        case "half": bytes = bytes.prefix(bytes.count / 2)
        default: bytes = Data()
        }
        try bytes.write(to: file)
        #expect(await names() == ["f"])
        #expect(kept == [file])
        try await plantAnswer()
        #expect(await names() == ["planted"])
    }

    @Test("an index that a lookup finds damaged is rebuilt")
    func damagedSection() async throws {
        #expect(await names() == ["f"])
        try await plantAnswer()
        let file = try #require(kept.first)
        var bytes = try Data(contentsOf: file)
        // The third section's entry in the section table: the offsets of the blocks.
        let place = bytes[192..<200].reversed().reduce(0) { $0 << 8 | Int($1) }
        for byte in place..<place + 4 { bytes[byte] = 0xff }
        try bytes.write(to: file)
        #expect(await names() == ["f"])
        #expect(kept == [file])
        try await plantAnswer()
        #expect(await names() == ["planted"])
    }

    @Test(
        "an index of another image, or another architecture, under an image's name is built again")
    func otherIdentity() async throws {
        #expect(await names() == ["f"])
        let planted = try TestFolder()
        let other = try planted.write(library(2, function: "planted"), to: "x")
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [other]), cachedIn: IndexFolder(path: planted.path("cache")))
        #expect(await symbols.names(identity(2)) == ["planted"])
        let index = try #require(planted.names(in: "cache").first)
        let bytes = try Data(contentsOf: planted.url.appendingPathComponent("cache/\(index)"))
        let file = try #require(kept.first)
        try bytes.write(to: file)
        #expect(await names() == ["f"])
        try await plantAnswer()
        #expect(await names() == ["planted"])
        let folder = IndexFolder(path: folder.path("cache"))
        let sources = [try FileStatus(of: source)]
        let candidates = SymbolInventory(paths: [source]).candidates(for: identity(1))
        let architecture = try #require(candidates.first?.architecture)
        try FileManager.default.copyItem(
            atPath: file.path,
            toPath: file.path.replacingOccurrences(of: "-\(architecture.name)-", with: "-arm64-"))
        #expect(folder.index(of: identity(1), architecture: architecture, from: sources) != nil)
        #expect(folder.index(of: identity(1), architecture: .arm64, from: sources) == nil)
    }

    @Test(
        "a cached index with any flipped bit has the results of the source",
        arguments: UInt64(0)..<40)
    func flippedBit(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        #expect(await names() == ["f"])
        let file = try #require(kept.first)
        var bytes = try Data(contentsOf: file)
        let place = Int.random(in: bytes.indices, using: &numbers)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        try bytes.write(to: file)
        #expect(await names() == ["f"], "byte \(place)")
    }

    @Test("a changed debug file is indexed again, even with the same size and name")
    func changedSource() async throws {
        #expect(await names() == ["f"])
        try Data(library(1, function: "g")).write(to: URL(fileURLWithPath: source))
        #expect(await names() == ["g"])
        #expect(kept.count == 2)
    }

    @Test("lookups work without a cache folder")
    func unwritable() async throws {
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [source]), cachedIn: IndexFolder(path: "\(source)/cache"))
        #expect(await symbols.names(identity(1)) == ["f"])
    }

    @Test("the least recently used indexes are removed first, and unrelated files are kept")
    func pruning() throws {
        let now = Date()
        for (name, age) in [("a.symidx", 30.0), ("b.symidx", 10), ("c.symidx", 20), ("d", 99)] {
            let path = try folder.write([UInt8](repeating: 0, count: 100), to: "cache/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: now.addingTimeInterval(-age)], ofItemAtPath: path)
        }
        let cache = IndexFolder(path: folder.path("cache"))
        cache.prune(keeping: 300)
        #expect(folder.names(in: "cache") == ["a.symidx", "b.symidx", "c.symidx", "d"])
        cache.prune(keeping: 299)
        #expect(folder.names(in: "cache") == ["b.symidx", "c.symidx", "d"])
        cache.prune(keeping: 0)
        #expect(folder.names(in: "cache") == ["d"])
    }

    @Test("a process prunes after its first file, and then after each interval")
    func schedule() {
        let schedule = PruningSchedule(interval: 100)
        #expect(
            [1, 60, 40, 1, 100, 1].map { schedule.isDue(adding: $0) } == [
                true, false, false, true, false, true,
            ])
    }

    @Test("drafts of killed runs are removed after a day")
    func drafts() throws {
        let hours = [("old.draft", 25.0), ("new.draft", 23)]
        for (name, age) in hours {
            let path = try folder.write([1], to: "cache/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date().addingTimeInterval(-3600 * age)], ofItemAtPath: path)
        }
        IndexFolder(path: folder.path("cache")).prune()
        #expect(folder.names(in: "cache") == ["new.draft"])
    }

    @Test("a lookup marks an index as recently used")
    func use() async throws {
        #expect(await names() == ["f"])
        let file = try #require(kept.first).path
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: file)
        #expect(await names() == ["f"])
        let status = try FileStatus(of: file)
        #expect(status.modifiedSeconds > 1000)
    }

    @Test(
        "the folder is that of the environment",
        arguments: [
            (["SYMBOLIST_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"], "/a"),
            (["SYMBOLIST_CACHE": "", "XDG_CACHE_HOME": "/b", "HOME": "/c"], "/b/symbolist"),
            (["XDG_CACHE_HOME": "relative", "HOME": "/c"], "/c/.cache/symbolist"),
            ([:], nil),
        ] as [([String: String], String?)])
    func places(environment: [String: String], path: String?) {
        #expect(IndexFolder(environment: environment)?.path == path)
    }
}
