import CallStacks
import DebugFiles
import IndexSupport
import SharedCaches
import SymbolIndexes
import TestSupport
import Testing

@Suite("Layouts of shared caches")
struct LayoutTests {
    typealias Layout = SharedCacheBuilder.Layout

    @Test("each layout has its images with their identities and sizes", arguments: Layout.allCases)
    func images(layout: Layout) throws {
        let builder = SharedCacheBuilder(layout)
        let cache = try GeneratedCache(builder).opened()
        #expect(cache.problems == [])
        #expect(cache.images.map(\.path) == builder.libraries.map(\.path))
        #expect(cache.images.map(\.id?.bytes) == builder.libraries.map(\.uuid))
        #expect(cache.images.map(\.textSize) == builder.libraries.map(\.textSize))
        try #require(cache.images.count == builder.libraries.count)
        for number in builder.libraries.indices {
            #expect(cache.images[number].address.rawValue == builder.address(of: number))
        }
        #expect(cache.movesLocalSymbols == layout.movesLocals)
        #expect(cache.systemVersion == (layout == .iOS14 ? nil : "26.1"))
    }

    @Test("the main header names the platform, in every layout", arguments: Layout.allCases)
    func platform(layout: Layout) throws {
        var made = GeneratedCache(layout)
        #expect(try made.opened().platformName == "ios")
        made.setMainHeader(0xd8, to: 11)
        #expect(try made.opened().platformName == "visionos")
        made.setMainHeader(0xd8, to: 99)
        #expect(try made.opened().platformName == nil)
    }

    @Test("only bit 9 of the flags marks a simulator's cache", arguments: Layout.allCases)
    func simulator(layout: Layout) throws {
        var made = GeneratedCache(layout)
        #expect(try !made.opened().isSimulator)
        made.setMainHeader(0xdc, to: 1 << 9)
        let cache = try made.opened()
        #expect(cache.isSimulator)
        #expect(cache.images == (try GeneratedCache(layout).opened().images))
        made.setMainHeader(0xdc, to: ~(1 << 9))
        #expect(try !made.opened().isSimulator)
    }

    @Test("every symbol of code is found in every layout", arguments: Layout.allCases)
    func symbols(layout: Layout) throws {
        let builder = SharedCacheBuilder(layout)
        let cache = try GeneratedCache(builder).opened()
        for library in builder.libraries {
            let name = String(library.path.split(separator: "/").last ?? "")
            #expect(try cache.symbols(of: name) == library.codeSymbols)
        }
    }

    @Test("a function extends to the next function start", arguments: Layout.allCases)
    func functionStarts(layout: Layout) throws {
        let cache = try GeneratedCache(layout).opened()
        let index = try cache.index(of: "ViewKit")
        func name(_ offset: UInt64) throws -> String? {
            try index.frames(at: ImageOffset(offset))?.frames.last?.function
        }
        #expect(try name(0x3ff) == nil)
        #expect(try name(0x400) == "draw")
        #expect(try name(0x41f) == "draw")
        #expect(try name(0x420) == "-[Window layout]")
        #expect(try name(0x47f) == "helper")
        #expect(try name(0x480) == nil)
        #expect(try name(0x49f) == nil)
        #expect(try name(0x4a0) == "helper")
        #expect(try name(0x4ff) == "helper")
        #expect(try name(0x500) == nil)
        #expect(try name(0x508) == "stub_of_draw")
        #expect(try name(0x51f) == "stub_of_draw")
        #expect(try name(0x520) == nil)
    }

    @Test(
        "around each function start, and at both ends of code, the nearest function is found",
        arguments: Layout.allCases)
    func boundaries(layout: Layout) throws {
        let builder = SharedCacheBuilder(layout)
        let cache = try GeneratedCache(builder).opened()
        for library in builder.libraries {
            let index = try cache.index(
                of: String(library.path.split(separator: "/").last ?? ""))
            for offset in library.boundaries {
                let found = try index.frames(at: ImageOffset(offset))?.frames.last?.function
                let name = library.function(at: offset)
                #expect(found == name, "\(library.path) + \(offset)")
            }
        }
    }

    @Test("each layout has all symbols of its images", arguments: Layout.allCases)
    func quality(layout: Layout) throws {
        let file = try GeneratedCache(layout).opened().debugFile(of: "ViewKit")
        #expect(file.summary().quality == .symbols)
        #expect(file.hasCompleteSymbols)
        #expect(file.isSystemImage)
    }

    @Test("an unknown architecture in the magic changes nothing")
    func magic() throws {
        var builder = SharedCacheBuilder(.iOS27)
        builder.magic = "dyld_v1arm99zx9"
        let cache = try GeneratedCache(builder).opened()
        #expect(try cache.symbols(of: "ViewKit") == builder.libraries[0].codeSymbols)
    }

    @Test(
        "images state their own architecture", arguments: [(2, "arm64e"), (12, "arm64e.x1")])
    func architecture(subtype: UInt32, name: String) throws {
        var library = CachedLibrary.examples[0]
        library.cpuSubtype = 0x8000_0000 | subtype
        let cache = try GeneratedCache(SharedCacheBuilder(.iOS27, [library])).opened()
        #expect(try cache.debugFile(of: "ViewKit").architecture.name == name)
    }

    @Test(
        "images of 32 bits have symbol entries of 12 bytes",
        arguments: [(0x0200_000c, "arm64_32"), (12, "armv7k")] as [(UInt32, String)])
    func narrow(cpuType: UInt32, name: String) throws {
        var builder = SharedCacheBuilder(.iOS15)
        for number in builder.libraries.indices {
            builder.libraries[number].cpuType = cpuType
            builder.libraries[number].cpuSubtype = cpuType == 12 ? 12 : 1
        }
        let cache = try GeneratedCache(builder).opened()
        #expect(try cache.debugFile(of: "ViewKit").architecture.name == name)
        #expect(try cache.symbols(of: "ViewKit") == builder.libraries[0].codeSymbols)
    }

    @Test("link-edit data may be in two files and count from anywhere", arguments: [0, 0x7000])
    func linkEdit(fileOffset: UInt64) throws {
        for layout in Layout.allCases where layout.hasSubcaches {
            var builder = SharedCacheBuilder(layout)
            builder.linkEditFileOffset = fileOffset
            builder.splitsLinkEdit = true
            let cache = try GeneratedCache(builder).opened()
            for library in builder.libraries {
                let name = String(library.path.split(separator: "/").last ?? "")
                #expect(try cache.symbols(of: name) == library.codeSymbols)
            }
        }
    }

    @Test("without the table of texts identities are read from the images")
    func identities() throws {
        var builder = SharedCacheBuilder(.iOS14)
        builder.hasImageTexts = false
        let cache = try GeneratedCache(builder).opened()
        #expect(cache.images.map(\.id?.bytes) == builder.libraries.map(\.uuid))
        #expect(cache.images.map(\.textSize) == builder.libraries.map(\.textSize))
    }

    @Test("an alias of an image is not another image")
    func aliases() throws {
        var builder = SharedCacheBuilder(.iOS14)
        let made = GeneratedCache(builder)
        builder.libraries.removeLast()
        var alias = made
        // The last image gets the address of the previous one.
        let table = SharedCacheBuilder.Layout.iOS14.headerSize + 3 * 32
        let address = alias.files[0].bytes[table + 64..<table + 72]
        alias.files[0].bytes.replaceSubrange(table + 96..<table + 104, with: address)
        #expect(try alias.opened().images.map(\.path) == builder.libraries.map(\.path))
    }

    @Test("a development cache shares the subcaches of the production cache")
    func development() throws {
        var builder = SharedCacheBuilder(.iOS16)
        builder.name += ".development"
        builder.kind = 2
        let made = GeneratedCache(builder)
        #expect(made.files.map(\.name).contains("dyld_shared_cache_arm64e.01"))
        let cache = try made.opened()
        #expect(cache.problems == [])
        #expect(try cache.symbols(of: "libgamma.dylib") == builder.libraries[3].codeSymbols)
    }
}

extension CachedLibrary {
    private var codeRanges: [Range<UInt64>] {
        var start = Self.codeOffset
        return codeSections.map { section in
            defer { start += section.size }
            return start..<start + section.size
        }
    }

    /// The offsets of function starts and of the ends of code, with those before and after them.
    fileprivate var boundaries: [UInt64] {
        let places = functionStarts + codeRanges.flatMap { [$0.lowerBound, $0.upperBound] }
        return Set(places.flatMap { [$0 - 1, $0, $0 + 1] }).sorted()
    }

    /// Returns the best name of the nearest symbol, unless another function starts in between.
    fileprivate func function(at offset: UInt64) -> String? {
        guard let section = codeRanges.first(where: { $0.contains(offset) }) else { return nil }
        let before = codeSymbols.filter { section.contains($0.offset) && $0.offset <= offset }
        guard let start = before.map(\.offset).max(),
            !functionStarts.contains(where: { start < $0 && $0 <= offset })
        else { return nil }
        let ranks: [SymbolRecord.Rank] = [.global, .weak, .local]
        return ranks.lazy.compactMap { rank in
            before.filter { $0.offset == start && $0.rank == rank }.map(\.name).min()
        }.first
    }
}
