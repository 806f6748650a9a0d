import CallStacks
import Foundation
import Problems
import SharedCaches
import Symbolication
import TestSupport
import Testing

@testable import SymbolStores

/// The folder of the shared caches to test with, or `nil` to skip the tests.
private let cacheFolder = ProcessInfo.processInfo.environment["SYMBOLIST_TEST_CACHES"]

/// Checks shared caches of real systems, which cannot be part of the project.
@Suite("Real shared caches", .enabled(if: cacheFolder != nil))
struct RealCacheTests {
    private static let caches = SystemImageList(paths: cacheFolder.map { [$0] } ?? []).caches

    /// The number of images of each cache that are compared symbol by symbol, because a whole
    /// system has thousands.
    private static let imageLimit = 32
    private static let lookupLimit = 128

    @Test("the folder contains caches, and every file of them is readable")
    func files() throws {
        let list = SystemImageList(paths: [try #require(cacheFolder)])
        #expect(!list.caches.isEmpty)
        #expect(!list.images.isEmpty)
        #expect(list.problems.map(\.error.description) == [])
    }

    @Test("images have the identities of their own headers", arguments: caches.map(\.path))
    func identities(path: String) throws {
        let cache = try LocatedCache(path: path).cache
        let plain = try PlainCache(path: path)
        #expect(cache.images.map(\.path) == plain.entries.map(\.path))
        #expect(cache.images.map(\.address.rawValue) == plain.entries.map(\.address))
        for (image, entry) in zip(cache.images, plain.entries) {
            #expect(try image.id?.bytes == plain.uuid(of: entry), "\(entry.path)")
        }
    }

    @Test("other tools read the same names in cut files", arguments: caches.map(\.path))
    func cutFiles(path: String) throws {
        let found = try LocatedCache(path: path)
        let plain = try PlainCache(path: path)
        for (image, entry) in zip(found.cache.images, plain.entries).prefix(Self.imageLimit) {
            let expected = try plain.symbols(of: entry)
            let cut = try CutOutput(of: found.cut(image).bytes)
            if found.cache.movesLocalSymbols {
                #expect(cut.symbols.isSuperset(of: expected), "\(entry.path)")
            } else {
                #expect(cut.symbols == expected, "\(entry.path)")
            }
            let id = try #require(image.id)
            #expect(cut.uuid.hasPrefix("UUID: \(id) ("))
            #expect(cut.installName == entry.path)
        }
    }

    @Test("the names of an image are found at their addresses", arguments: caches.map(\.path))
    func lookups(path: String) async throws {
        let indexes = try TestFolder()
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [path]), cachedIn: IndexFolder(path: indexes.path))
        let plain = try PlainCache(path: path)
        for entry in plain.entries.prefix(Self.imageLimit) {
            let id = try #require(ImageID(bytes: try plain.uuid(of: entry)))
            let names = Dictionary(grouping: try plain.symbols(of: entry)) { $0.address }
            for (address, found) in names.sorted(by: { $0.key < $1.key }).prefix(Self.lookupLimit) {
                var lookup = OffsetLookup(provider: symbols)
                let result = await lookup.result(
                    for: id, at: ImageOffset(address - entry.address))
                let frame = try #require(lookup.frames(of: result).first, "\(found)")
                #expect(frame.status == .symbolOnly)
                #expect(!frame.isInApp)
                let name = frame.mangled ?? frame.function ?? ""
                #expect(found.contains { $0.name == "_" + name || $0.name == name }, "\(name)")
            }
        }
    }
}

/// A cut file, as LLVM's tools describe it.
private struct CutOutput {
    let symbols: Set<PlainCache.Symbol>
    let uuid: String
    let installName: String?

    init(of bytes: [UInt8]) throws {
        let folder = try TestFolder()
        try folder.write(bytes, to: "cut")
        try shell(
            "llvm-nm-19 --defined-only cut > names; llvm-dwarfdump-19 --uuid cut > uuid; "
                + "llvm-objdump-19 --macho --dylib-id cut > id", in: folder.url)
        func lines(_ name: String) throws -> [Substring] {
            try String(contentsOfFile: folder.path(name), encoding: .utf8).split(separator: "\n")
        }
        symbols = Set(
            try lines("names").map { line in
                // The address, the kind in one letter, and the name, which may have spaces.
                let words = line.split(separator: " ", maxSplits: 2)
                try #require(words.count == 3)
                let address = try #require(UInt64(words[0], radix: 16))
                return PlainCache.Symbol(address: address, name: String(words[2]))
            })
        uuid = String(try lines("uuid").first ?? "")
        installName = try lines("id").last.map(String.init)
    }
}
