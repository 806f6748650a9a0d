import ByteReading
import CallStacks
import DebugFiles
import Foundation
import IndexSupport
import SharedCaches
import SymbolIndexes
import TestSupport
import Testing

@Suite("Cut files")
struct CutFileTests {
    typealias Layout = SharedCacheBuilder.Layout

    @Test("the same cache results in the same bytes", arguments: Layout.allCases)
    func repeatable(layout: Layout) throws {
        let (first, second) = (
            try GeneratedCache(layout).opened(), try GeneratedCache(layout).opened()
        )
        for (left, right) in zip(first.images, second.images) {
            #expect(try CutFile(left, of: first).bytes == CutFile(right, of: second).bytes)
        }
    }

    @Test("a cut file has identity, path, platform and size, but no code")
    func contents() throws {
        let builder = SharedCacheBuilder(.iOS26)
        let file = try GeneratedCache(builder).opened().debugFile(of: "ViewKit")
        #expect(file.id?.bytes == builder.libraries[0].uuid)
        #expect(file.installName == builder.libraries[0].path)
        #expect(file.platform == "ios")
        #expect(file.extent == builder.libraries[0].textSize)
        #expect(
            file.layout.code == [
                ImageOffset(0x400)..<ImageOffset(0x500), ImageOffset(0x500)..<ImageOffset(0x520),
            ])
        #expect(file.summary().functionStartCount == builder.libraries[0].functionStarts.count)
        #expect(file.byteCount < 2_000)
    }

    @Test("names at several addresses are written once, and so are pairs")
    func unity() throws {
        var library = CachedLibrary.examples[0]
        // The image's own table contains a symbol that was moved as well.
        library.symbols.append(.init("-[Window layout]", at: 0x420, .exported))
        let cache = try GeneratedCache(SharedCacheBuilder(.iOS26, [library])).opened()
        let symbols = try cache.symbols(of: "ViewKit")
        #expect(symbols.filter { $0.offset == 0x420 }.map(\.rank) == [.global])
        let bytes = try CutFile(try cache.image("ViewKit"), of: cache).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.components(separatedBy: "_helper").count == 2)
        #expect(!text.contains("redacted"))
    }

    @Test("a name reserved for assemblers is kept, but other names at its address come first")
    func assemblerLocals() throws {
        var library = CachedLibrary.examples[0]
        library.symbols = ["L9", "_x", "ltmp9"].map { .init($0, at: 0x420) }
        let cache = try GeneratedCache(SharedCacheBuilder(.iOS26, [library])).opened()
        #expect(
            try cache.symbols(of: "ViewKit").map(\.rank)
                == [.assemblerLocal, .assemblerLocal, .local])
        let index = try cache.index(of: "ViewKit")
        #expect(try index.frames(at: ImageOffset(0x424))?.frames.last?.function == "x")
    }

    @Test("other tools read a cut file like the library itself", arguments: Layout.allCases)
    func peers(layout: Layout) throws {
        let builder = SharedCacheBuilder(layout)
        let cache = try GeneratedCache(builder).opened()
        let folder = try TestFolder()
        for (library, image) in zip(builder.libraries, cache.images) {
            let cut = try folder.write(CutFile(image, of: cache).bytes, to: "cut")
            let whole = try folder.write(library.dylib.bytes(), to: "whole")
            let address = image.address.rawValue
            #expect(try names(of: cut, startingAt: address) == names(of: whole, startingAt: 0))
        }
    }

    @Test("llvm-symbolizer finds the same functions in a cut file as the index")
    func symbolizer() throws {
        let cache = try GeneratedCache(.iOS26).opened()
        let image = try cache.image("ViewKit")
        let folder = try TestFolder()
        let file = try folder.write(CutFile(image, of: cache).bytes, to: "cut")
        let index = try cache.index(of: "ViewKit")
        for offset: UInt64 in [0x424, 0x444, 0x4a8, 0x50c] {
            let address = image.address.rawValue + offset
            try shell(
                "llvm-symbolizer-19 --obj='\(file)' 0x\(String(address, radix: 16)) > answer",
                in: folder.url)
            let text = try String(contentsOfFile: folder.path("answer"), encoding: .utf8)
            let found = try index.frames(at: ImageOffset(offset))?.frames.last?.function
            #expect(text.split(separator: "\n").first.map(String.init) == found)
        }
    }

    /// Returns addresses, kinds and names, as printed by `llvm-nm`.
    private func names(of file: String, startingAt base: UInt64) throws -> [String] {
        let folder = try TestFolder()
        try shell("llvm-nm-19 --defined-only '\(file)' > names", in: folder.url)
        let text = try String(contentsOfFile: folder.path("names"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1)
            try #require(words.count == 2)
            let address = try #require(UInt64(words[0], radix: 16))
            return "\(String(address - base, radix: 16)) \(words[1])"
        }.sorted()
    }
}
