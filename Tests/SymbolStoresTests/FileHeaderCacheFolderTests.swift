import CallStacks
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Folder of inventories")
struct FileHeaderCacheFolderTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// A folder whose clock is ahead, so that files just written by a test count as settled.
    private func inventories(smallestCount: Int = 1, ahead: Int64 = 10) -> FileHeaderCacheFolder {
        FileHeaderCacheFolder(path: folder.path("cache"), smallestCount: smallestCount) {
            Int64(Date().timeIntervalSince1970) + ahead
        }
    }

    private var paths: [String] { [folder.path("symbols")] }

    private func inventory(_ inventories: FileHeaderCacheFolder? = nil) -> SymbolInventory {
        SymbolInventory(paths: paths, rememberedIn: inventories ?? self.inventories())
    }

    private var keptFiles: [String] { folder.names(in: "cache") }

    /// Whether a search would have to read anything.
    private func readsAnything() -> Bool {
        DebugFileSearch(paths, knowing: inventories().memory(of: paths)).memory.learnedCount > 0
    }

    /// Changes a file or folder until the file system shows it: its clock may tick slowly.
    private func change(_ name: String, _ body: () throws -> Void) throws {
        let before = try FileStatus(of: folder.path(name))
        repeat { try body() } while try FileStatus(of: folder.path(name)) == before
    }

    private func writeBundles() throws {
        for number in UInt8(1)...3 {
            try folder.write(
                library(number), to: "symbols/\(number).dSYM/Contents/Resources/DWARF/lib")
            try folder.write(Array("plist".utf8), to: "symbols/\(number).dSYM/Contents/Info.plist")
        }
    }

    @Test("unchanged files are not read again")
    func remembered() throws {
        try writeBundles()
        let first = inventory()
        #expect(first.images == [identity(1), identity(2), identity(3)])
        #expect(keptFiles.count == 1)
        #expect(!readsAnything())
        let second = inventory()
        #expect(second.images == first.images)
        #expect(second.fileCount == 3)
        #expect(second.candidates(for: identity(2)) == first.candidates(for: identity(2)))
        #expect(second.problems.isEmpty)
    }

    @Test("a file overwritten in place is noticed, even with the same size and time")
    func writtenOver() throws {
        try writeBundles()
        _ = inventory()
        let name = "symbols/2.dSYM/Contents/Resources/DWARF/lib"
        var times = stat()
        #expect(unsafe stat(folder.path(name), &times) == 0)
        try change(name) {
            let file = try #require(FileHandle(forWritingAtPath: folder.path(name)))
            try file.write(contentsOf: Data(library(9)))
            try file.close()
            let back = [times.st_atim, times.st_mtim]
            #expect(unsafe utimensat(AT_FDCWD, folder.path(name), back, 0) == 0)
        }
        #expect(inventory().images == [identity(1), identity(9), identity(3)])
        #expect(inventory().images == [identity(1), identity(9), identity(3)])
    }

    @Test("added, removed and swapped files are noticed")
    func otherFiles() throws {
        try writeBundles()
        _ = inventory()
        try FileManager.default.removeItem(atPath: folder.path("symbols/1.dSYM"))
        #expect(inventory().images == [identity(2), identity(3)])
        try folder.write(library(4), to: "symbols/new/4")
        #expect(inventory().images == [identity(2), identity(3), identity(4)])
        try folder.write(library(5), to: "other")
        #expect(unsafe rename(folder.path("other"), folder.path("symbols/new/4")) == 0)
        #expect(inventory().images == [identity(2), identity(3), identity(5)])
        try FileManager.default.moveItem(
            atPath: folder.path("symbols/2.dSYM"), toPath: folder.path("symbols/x.dSYM"))
        let moved = inventory().candidates(for: identity(2)).map(\.path)
        #expect(moved == [folder.path("symbols/x.dSYM/Contents/Resources/DWARF/lib")])
    }

    @Test("a file that becomes a debug file is noticed")
    func filledLater() throws {
        try writeBundles()
        try folder.write([], to: "symbols/4")
        #expect(inventory().images.count == 3)
        try change("symbols/4") {
            let file = try #require(FileHandle(forWritingAtPath: folder.path("symbols/4")))
            try file.write(contentsOf: Data(library(4)))
            try file.close()
        }
        #expect(inventory().images.contains(identity(4)))
    }

    @Test("a file changed within the last clock tick is not cached")
    func unsettled() throws {
        try writeBundles()
        #expect(inventory(inventories(ahead: 0)).images.count == 3)
        #expect(keptFiles.isEmpty)
    }

    @Test("problems are reported in every run")
    func problems() throws {
        try writeBundles()
        try folder.write(Array(library(4).prefix(30)), to: "symbols/cut")
        try folder.write([], to: "symbols/Empty.dSYM/Contents/Resources/DWARF/x")
        let first = inventory().problems
        #expect(first.count == 2)
        #expect(inventory().problems == first)
        let named = SymbolInventory(
            paths: [folder.path("symbols/cut")], rememberedIn: inventories())
        #expect(named.problems.map(\.isExplicit) == [true])
    }

    @Test("a damaged cache file is ignored and replaced")
    func damaged() throws {
        try writeBundles()
        let images = inventory().images
        let name = try #require(keptFiles.first)
        let good = [UInt8](
            try Data(contentsOf: URL(fileURLWithPath: folder.path("cache/\(name)"))))
        #expect(good.count > 300)
        for place in stride(from: 0, to: good.count, by: 7) {
            var bent = good
            bent[place] ^= 0x11
            for bytes in [bent, Array(good.prefix(place))] {
                try folder.write(bytes, to: "cache/\(name)")
                #expect(inventories().memory(of: paths).usedFindings.isEmpty)
                #expect(inventory().images == images)
            }
        }
        #expect(!readsAnything())
    }

    @Test("concurrent runs leave one complete file")
    func concurrent() async throws {
        try writeBundles()
        await withTaskGroup(of: Set<ImageID>.self) { group in
            for _ in 0..<8 { group.addTask { inventory().images } }
            for await images in group { #expect(images.count == 3) }
        }
        #expect(keptFiles.count == 1)
        #expect(!readsAnything())
    }

    @Test("findings of a few files are not stored, and missing files are dropped")
    func bounds() throws {
        try writeBundles()
        _ = inventory(inventories(smallestCount: 256))
        #expect(keptFiles.isEmpty)
        _ = inventory()
        let all = inventories().memory(of: paths)
        for number in 1...2 {
            try FileManager.default.removeItem(atPath: folder.path("symbols/\(number).dSYM"))
        }
        _ = inventory()
        var rest = inventories().memory(of: paths)
        #expect(rest.encoded(limit: 0).count == 16)
        for status in try ["symbols", "symbols/3.dSYM"].map({ try FileStatus(of: folder.path($0)) })
        {
            _ = try rest.names(in: "", status: status)
        }
        let size = rest.encoded(limit: .max).count
        #expect(rest.encoded(limit: size).count == size)
        #expect((17..<size).contains(rest.encoded(limit: size - 1).count))
        #expect(all.usedFindings.isEmpty)
    }

    @Test("the cache is rewritten only if many files have changed")
    func fewChanges() throws {
        for number in 0..<100 {
            try folder.write([UInt8(number)], to: "symbols/notes/\(number)")
        }
        try folder.write(library(1), to: "symbols/1")
        _ = inventory()
        let name = try #require(keptFiles.first)
        let file = try FileStatus(of: folder.path("cache/\(name)")).inode
        try change("symbols/1") {
            try Data(library(2)).write(to: folder.url.appendingPathComponent("symbols/1"))
        }
        #expect(inventory().images == [identity(2)])
        #expect(try FileStatus(of: folder.path("cache/\(name)")).inode == file)
        for number in 0..<100 {
            try folder.write([UInt8(number), 0], to: "symbols/notes/\(number)")
        }
        #expect(inventory().images == [identity(2)])
        #expect(try FileStatus(of: folder.path("cache/\(name)")).inode != file)
    }

    @Test("the oldest cache files are removed above the limit, and drafts of killed runs")
    func pruning() throws {
        for number in 1...3 {
            try folder.write([UInt8](repeating: 0, count: 100), to: "cache/\(number).inventory")
            let times = [
                timespec(tv_sec: number, tv_nsec: 0), timespec(tv_sec: number, tv_nsec: 0),
            ]
            #expect(
                unsafe utimensat(AT_FDCWD, folder.path("cache/\(number).inventory"), times, 0) == 0)
        }
        try folder.write([1], to: "cache/mine")
        removeLeastRecentlyUsed(in: folder.path("cache"), ending: ".inventory", keeping: 250)
        #expect(keptFiles == ["2.inventory", "3.inventory", "mine"])
    }
}
