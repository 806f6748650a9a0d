import CallStacks
import DebugFiles
import Foundation
import Glibc
import Problems
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Archives of debug files")
struct ArchiveFolderTests {
    let folder: TestFolder
    let archives: ArchiveFolder

    init() throws {
        folder = try TestFolder()
        archives = ArchiveFolder(path: folder.path("cache"))
    }

    private func inventory(_ names: String...) -> SymbolInventory {
        SymbolInventory(paths: names.map { folder.path($0) }, unpackingIn: archives)
    }

    private func problems(_ inventory: SymbolInventory) -> [String] {
        inventory.problems.map { folder.relative($0.error.description) }
    }

    /// A zip archive in the folder, with one library by each name.
    @discardableResult
    private func writeZip(_ name: String, _ entries: KeyValuePairs<String, [UInt8]>) throws
        -> String
    {
        var zip = ZipBuilder()
        for (entry, bytes) in entries { zip.add(entry, bytes) }
        return try folder.write(zip.bytes(), to: name)
    }

    /// The names of the unpacked archives.
    private var unpacked: [String] { folder.names(in: "cache") }

    @Test("an image is found in an archive, listed itself or in a folder")
    func found() async throws {
        try writeZip("a/x.zip", ["X.dSYM/Contents/Resources/DWARF/X": library(1, function: "g")])
        for name in ["a/x.zip", "a"] {
            let inventory = inventory(name)
            #expect(inventory.images == [identity(1)])
            #expect(inventory.problems.isEmpty)
            let symbols = LocalSymbolProvider(inventory, cachedIn: nil)
            #expect(await symbols.names(identity(1)) == ["g"])
            #expect(symbols.name(of: identity(1)) == "X")
        }
    }

    @Test("an archive is unpacked once, and again when it changes")
    func kept() throws {
        let path = try writeZip("x.zip", ["X": library(1)])
        #expect(inventory("x.zip").images == [identity(1)])
        let first = unpacked
        try #require(first.count == 1)
        let file = folder.path("cache/\(first[0])/1")
        let status = try FileStatus(of: file)
        #expect(inventory("x.zip").images == [identity(1)])
        #expect(try FileStatus(of: file) == status)
        try FileManager.default.removeItem(atPath: path)
        try writeZip("x.zip", ["X": library(2)])
        #expect(inventory("x.zip").images == [identity(2)])
        #expect(unpacked.count == 2)
    }

    @Test("the next run finds the index of a file in an archive")
    func indexes() async throws {
        try writeZip("x.zip", ["X": library(1)])
        let cache = IndexFolder(path: folder.path("indexes"))
        for _ in 0..<2 {
            let symbols = LocalSymbolProvider(inventory("x.zip"), cachedIn: cache)
            #expect(await symbols.names(identity(1)) == ["f"])
        }
        #expect(folder.names(in: "indexes").count == 1)
    }

    @Test("problems in an archive are reported in every run, under its current name")
    func problems() throws {
        let entries: KeyValuePairs = [
            "../x": library(1), "X": library(2), "__MACOSX/X": library(3),
            "Zero.dSYM": [], "Empty.dSYM/Contents/Info.plist": [1],
        ]
        try writeZip("a/x.zip", entries)
        let rest = "bundle contains no debug file: build or download it again"
        for name in ["a/x.zip", "a"] {
            let inventory = inventory(name)
            #expect(inventory.images == [identity(2)])
            #expect(
                problems(inventory) == [
                    "a/x.zip/../x: name points outside the archive: the entry was skipped: "
                        + "pack it with a relative name",
                    "a/x.zip/Zero.dSYM: \(rest)", "a/x.zip/Empty.dSYM: \(rest)",
                ])
            let failures = inventory.problems.filter(\.isExplicit)
            #expect(failures.count == (name == "a" ? 0 : 1))
        }
    }

    @Test("an archive without debug files is a failure if it is listed explicitly")
    func nothing() throws {
        try writeZip("a/x.zip", ["notes": [1, 2, 3, 4]])
        #expect(
            problems(inventory("a/x.zip")) == [
                "a/x.zip: contains no debug file: use an archive of dSYMs or debug files"
            ])
        #expect(
            problems(inventory("a")) == [
                "a: contains no debug file: use a dSYM, a debug file, or a folder of them"
            ])
    }

    @Test("a shared cache in an archive is reported once and stays packed")
    func sharedCache() throws {
        var zip = ZipBuilder()
        var alone = ZipBuilder()
        for file in SharedCacheBuilder(.iOS26).files() {
            zip.add(Array(file.name.utf8), file.bytes)
            alone.add(Array(file.name.utf8), file.bytes)
        }
        zip.add(Array("X".utf8), library(1))
        try folder.write(zip.bytes(), to: "both.zip")
        try folder.write(alone.bytes(), to: "alone.zip")
        for (name, images) in [("both.zip", Set([identity(1)])), ("alone.zip", [])] {
            let inventory = inventory(name)
            #expect(inventory.images == images)
            #expect(
                problems(inventory) == [
                    "\(name): contains a shared cache: unpack it and pass its "
                        + "folder to --symbols, 'symbolist system add' or 'symbolist upload --system'"
                ])
            #expect(inventory.problems.map(\.isExplicit) == [true])
        }
        for archive in unpacked {
            #expect(folder.names(in: "cache/\(archive)").count <= 2)
        }
    }

    @Test("names in archives keep their components, with either kind of slash")
    func names() throws {
        try writeZip("x.zip", ["Rød, grøn.dSYM\\Contents\\Resources\\DWARF\\Rød, grøn": library(1)])
        let inspection = DebugFileInspection(
            paths: [folder.path("x.zip")], unpackingIn: archives)
        #expect(
            inspection.slices.map { folder.relative($0.path) } == [
                "x.zip/Rød, grøn.dSYM/Contents/Resources/DWARF/Rød, grøn"
            ])
        #expect(inspection.problems.isEmpty)
    }

    @Test("above the limit the least recently used archives are removed, but none in use")
    func pruning() throws {
        for number: UInt8 in 1...3 { try writeZip("\(number).zip", ["X": library(number)]) }
        var names: [String] = []
        var used: SymbolInventory?
        for number in 1...3 {
            let known = Set(unpacked)
            let inventory = inventory("\(number).zip")
            if number == 1 { used = inventory }
            let name = try #require(unpacked.first { !known.contains($0) })
            names.append(name)
            var times = [
                timespec(tv_sec: number, tv_nsec: 0), timespec(tv_sec: number, tv_nsec: 0),
            ]
            unsafe utimensat(AT_FDCWD, folder.path("cache/\(name)/record.json"), &times, 0)
        }
        archives.prune(keeping: Int64(library(1).count) + 500)
        #expect(Set(unpacked) == [names[0], names[2]])
        withExtendedLifetime(used) {}
        used = nil
        archives.prune(keeping: 0)
        #expect(unpacked.isEmpty)
    }

    @Test("an incomplete or damaged archive folder is repaired")
    func damage() throws {
        try writeZip("x.zip", ["X": library(1)])
        #expect(inventory("x.zip").images == [identity(1)])
        let name = try #require(unpacked.first)
        let record = folder.path("cache/\(name)/record.json")
        for damage in [Data(), Data("{".utf8)] {
            try damage.write(to: URL(fileURLWithPath: record))
            #expect(inventory("x.zip").images == [identity(1)])
        }
        try FileManager.default.removeItem(atPath: record)
        #expect(inventory("x.zip").images == [identity(1)])
        #expect(inventory("x.zip").problems.isEmpty)
    }

    @Test("a cache that cannot be created is reported once per archive")
    func unwritable() throws {
        try writeZip("x.zip", ["X": library(1)])
        let file = try folder.write([1], to: "file")
        let inventory = SymbolInventory(
            paths: [folder.path("x.zip")], unpackingIn: ArchiveFolder(path: file))
        #expect(inventory.images.isEmpty)
        #expect(
            problems(inventory) == [
                "file: cannot be written: choose another cache with SYMBOLIST_CACHE"
            ])
    }
}
