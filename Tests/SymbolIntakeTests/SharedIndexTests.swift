import CallStacks
import Foundation
import SymbolStores
import Symbolication
import TestSupport
import Testing

@testable import SymbolIntake

/// Indexes that nodes build for each other.
@Suite("Shared indexes", .ownThreads)
struct SharedIndexTests {
    @Test("the index of an upload is fetched by other nodes, which build nothing")
    func fetched() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        _ = try await intake.upload(library(1))
        #expect(indexes.files.keys.map(\.image) == [identity(1)])
        let other = try intake.otherNode { $0.executable = "/bin/false" }
        #expect(await other.names(identity(1)) == ["f"])
        #expect(try other.localIndexNames.count == 1)
        #expect(indexes.fetchCount == 1)
        // Its local file is enough from now on.
        let later = StoredSymbolIndexes(other.storage)
        indexes.isAway = true
        #expect(await later.names(identity(1)) == ["f"])
    }

    @Test("an index that no node has is built by one of them")
    func builtOnce() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        let folder = intake.folder.path
        let counting = try intake.wrapper("case \"$2\" in index) echo >> '\(folder)/count';; esac")
        _ = try await intake.upload(library(1))
        indexes.files = [:]
        let others = try (0..<4).map { _ in
            try intake.otherNode { $0.executable = counting }
        }
        let names = await withTaskGroup(of: [String].self) { group in
            for other in others { group.addTask { await other.names(identity(1)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == [["f"], ["f"], ["f"], ["f"]])
        #expect(indexes.files.count == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/count")).count == 1)
    }

    @Test("a stored index that is damaged or of another file is built again and replaced")
    func damaged() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        _ = try await intake.upload(library(1))
        _ = try await intake.upload(library(2, function: "g"))
        let files = indexes.files
        let first = try #require(files.keys.first { $0.image == identity(1) })
        let second = try #require(files.keys.first { $0.image == identity(2) })
        for bytes in [files[second], [1, 2, 3]] {
            indexes.files[first] = bytes
            let other = try intake.otherNode()
            #expect(await other.names(identity(1)) == ["f"])
            #expect(indexes.files == files)
        }
    }

    /// Returns a node that has missed the index of the library that another one has stored, because
    /// the indexes are away.
    private func nodeWithoutIndex() async throws -> (
        intake: Intake, other: OtherNode, indexes: MemoryIndexes
    ) {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        _ = try await intake.upload(library(1))
        let other = try intake.otherNode()
        indexes.isAway = true
        #expect(await other.names(identity(1)) == ["missing_image"])
        return (intake, other, indexes)
    }

    @Test("a lookup goes on without an index that is not available, and is repeated once it is")
    func away() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        _ = try await intake.upload(library(1))
        let other = try intake.otherNode()
        indexes.isAway = true
        for _ in 0..<3 { #expect(await other.names(identity(1)) == ["missing_image"]) }
        #expect(indexes.fetchCount == 1, "lookups do not repeat it")
        for count in 2...3 {
            await other.symbols.openDelayed(within: .seconds(300))
            #expect(indexes.fetchCount == count)
        }
        #expect(await other.names(identity(1)) == ["missing_image"])
        #expect(intake.catalogue.changes == [identity(1)])
        indexes.isAway = false
        await other.symbols.openDelayed(within: .seconds(300))
        #expect(intake.catalogue.changes == [identity(1), identity(1)])
        #expect(other.symbols.lastReflected == 2)
        #expect(await other.names(identity(1)) == ["f"])
        await other.symbols.openDelayed(within: .seconds(300))
        #expect(intake.catalogue.changes.count == 2)
    }

    @Test("a lookup finds an index after it was waited for")
    func waitedFor() async throws {
        let (intake, other, indexes) = try await nodeWithoutIndex()
        indexes.isAway = false
        await other.symbols.waitForDelayedIndexes(of: [identity(2)], atMost: .seconds(300))
        #expect(await other.names(identity(1)) == ["missing_image"])
        await other.symbols.waitForDelayedIndexes(of: [identity(1)], atMost: .seconds(300))
        #expect(await other.names(identity(1)) == ["f"])
        #expect(intake.catalogue.changes == [identity(1)], "it is announced later")
    }

    @Test("stored symbols are announced again, except by a process that cannot use them yet")
    func announced() async throws {
        let (intake, other, _) = try await nodeWithoutIndex()
        for symbols in [other.symbols, intake.symbols] {
            #expect(intake.catalogue.changes == [identity(1)])
            for includesIncomplete in [false, true] {
                // The library has only a symbol table.
                #expect(intake.catalogue.changes == [identity(1)])
                try await symbols.announceStored(
                    among: [identity(1), identity(2)], for: .everything,
                    includingIncomplete: includesIncomplete)
            }
        }
        #expect(intake.catalogue.changes == [identity(1), identity(1)])
    }

    @Test("a lookup does not wait longer for an index than it may")
    func waiting() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        _ = try await intake.upload(library(1))
        indexes.isSilent = true
        let other = try intake.otherNode { $0.cacheWait = .milliseconds(10) }
        for _ in 0..<3 { #expect(await other.names(identity(1)) == ["missing_image"]) }
        #expect(indexes.fetchCount == 1)
        indexes.isSilent = false
        await other.symbols.openDelayed(within: .seconds(300))
        #expect(intake.catalogue.changes.count == 2)
        #expect(await other.names(identity(1)) == ["f"])
    }

    @Test("after a change of its files, a lookup waits for a delayed index again")
    func change() async throws {
        let (intake, other, indexes) = try await nodeWithoutIndex()
        indexes.isAway = false
        other.symbols.invalidate(identity(1))
        #expect(await other.names(identity(1)) == ["f"])
        // Diagnostics missed it nevertheless.
        await other.symbols.openDelayed(within: .seconds(300))
        #expect(intake.catalogue.changes.count == 2)
    }

    @Test("an upload fails as a whole while the indexes cannot be stored, and succeeds later")
    func upload() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        indexes.isAway = true
        let error = await #expect(throws: IntakeError.self) {
            try await intake.upload(library(1))
        }
        #expect(error?.reason == .unavailable)
        #expect(error?.problem == MemoryIndexes.error.problem)
        #expect(intake.catalogue.files.isEmpty)
        indexes.isAway = false
        #expect(try await intake.upload(library(1)).map(\.status) == [.stored])
        #expect(await intake.names(identity(1)) == ["f"])
    }

    @Test("the removal of a debug file removes its index for all nodes")
    func removal() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        _ = try await intake.upload(library(1))
        _ = try await intake.removal.remove(identity(1))
        #expect(indexes.files.isEmpty)
    }

    @Test("local files beyond the limit are removed, those used least recently first")
    func cache() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        for number in 1...6 { _ = try await intake.upload(library(UInt8(number))) }
        let size = Int64(try #require(indexes.files.values.first).count)
        let other = try intake.otherNode { $0.cacheBytes = 4 * size }
        for number in [1, 2, 3, 1, 4] {
            #expect(await other.names(identity(UInt8(number))) == ["f"])
        }
        #expect(try other.localIndexNames.count == 4)
        #expect(await other.names(identity(5)) == ["f"])
        // An eighth of the limit is free afterwards.
        let expected = [1, 4, 5].map { identity(UInt8($0)).hex }
        #expect(try other.localIndexNames.map { $0.prefix(40) } == expected.map { $0[...] })
        #expect(other.symbols.openCount == 3)
        #expect(other.storage.indexes.uses?.bytes == 3 * size)
        for number in 1...6 {
            #expect(await other.names(identity(UInt8(number))) == ["f"])
        }
        #expect(other.storage.folders.indexByteCount <= 4 * size)
    }

    @Test("the files of an earlier process count, and an index larger than the limit is used")
    func smallCache() async throws {
        let indexes = MemoryIndexes()
        let intake = try Intake(sharedIndexes: indexes)
        for number in 1...3 { _ = try await intake.upload(library(UInt8(number))) }
        let first = try intake.otherNode()
        for number in 1...3 { _ = await first.names(identity(UInt8(number))) }
        let next = try first.restarted { $0.cacheBytes = 1 }
        #expect(next.storage.indexes.uses?.bytes == next.storage.folders.indexByteCount)
        next.symbols.limitLocalFiles()
        #expect(try next.localIndexNames.count == 1)
        for number in 1...3 { #expect(await next.names(identity(UInt8(number))) == ["f"]) }
        #expect(try next.localIndexNames.count == 1)
    }
}

/// A node that shares the catalogue, the blobs and the indexes of another one.
struct OtherNode {
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes

    init(_ storage: SymbolStorage) throws {
        self.storage = storage
        try storage.prepare()
        symbols = StoredSymbolIndexes(storage)
    }

    var localIndexNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: storage.folders.indexes).sorted()
        }
    }

    func names(
        _ image: ImageID, at offset: ImageOffset = functionOffset
    ) async -> [String] { await symbols.names(image, at: offset) }

    /// Returns the node after a restart with other settings.
    func restarted(_ change: (inout IntakeSettings) -> Void) throws -> OtherNode {
        var settings = storage.settings
        change(&settings)
        return try OtherNode(
            SymbolStorage(
                settings: settings, catalogue: storage.catalogue, blobs: storage.blobs,
                sharedIndexes: storage.sharedIndexes))
    }
}

extension Intake {
    func otherNode(
        _ change: (inout IntakeSettings) -> Void = { _ in }
    ) throws -> OtherNode {
        var settings = storage.settings
        settings.data = folder.appendingPathComponent("node-\(UUID().uuidString)").path
        change(&settings)
        return try OtherNode(
            SymbolStorage(
                settings: settings, catalogue: catalogue, blobs: storage.blobs,
                sharedIndexes: storage.sharedIndexes))
    }
}

extension StoredSymbolIndexes {
    /// Returns the functions at an offset, or the status if there are none.
    fileprivate func names(
        _ image: ImageID, at offset: ImageOffset = functionOffset
    ) async -> [String] {
        var lookup = OffsetLookup(provider: provider(for: .everything))
        let answer = await lookup.result(for: image, at: offset)
        let frames = lookup.frames(of: answer)
        return frames.isEmpty ? [answer.status.rawValue] : frames.map { $0.function ?? "?" }
    }
}
