import CallStacks
import DebugFiles
import IndexSupport
import SharedCaches
import SymbolIndexes
import TestSupport
import Testing

@Suite("Parts of shared caches")
struct PartTests {
    typealias Layout = SharedCacheBuilder.Layout
    static let split = Layout.allCases.filter(\.hasSubcaches)

    @Test("without its symbols file a cache has only exports, and a problem", arguments: split)
    func withoutSymbols(layout: Layout) throws {
        let builder = SharedCacheBuilder(layout)
        let cache = try GeneratedCache(builder).without(".symbols").opened()
        #expect(
            cache.problems.map(\.line)
                == ["symbols-file-missing: copy dyld_shared_cache_arm64e.symbols as well"])
        #expect(!cache.hasLocalSymbols)
        for library in builder.libraries {
            let name = String(library.path.split(separator: "/").last ?? "")
            #expect(
                try cache.symbols(of: name) == library.codeSymbols.filter { $0.rank != .local })
        }
        let index = try cache.index(of: "ViewKit")
        #expect(try index.frames(at: ImageOffset(0x420)) == nil, "no export reaches behind it")
    }

    @Test("the quality depends on local symbols, and a note on whether any could exist")
    func quality() throws {
        let whole = try GeneratedCache(.iOS26).opened().debugFile(of: "ViewKit")
        #expect(whole.summary().quality == .symbols)
        #expect(whole.hasCompleteSymbols)
        let poor = try GeneratedCache(.iOS26).without(".symbols").opened().debugFile(of: "ViewKit")
        #expect(poor.summary().quality == .exportedSymbols)
        #expect(!poor.hasCompleteSymbols)
        var builder = SharedCacheBuilder(.iOS26)
        builder.announcesSymbols = false
        let sparse = try GeneratedCache(builder).without(".symbols").opened().debugFile(
            of: "ViewKit")
        #expect(sparse.summary().quality == .exportedSymbols)
        #expect(sparse.hasCompleteSymbols)
        let exportsOnly = try GeneratedCache(.iOS26).opened().debugFile(of: "libbeta.dylib")
        #expect(exportsOnly.summary().quality == .exportedSymbols)
        #expect(exportsOnly.hasCompleteSymbols)
    }

    @Test("a cache is usable without any one part, and reports which is missing", arguments: split)
    func missingParts(layout: Layout) throws {
        let made = GeneratedCache(layout)
        for part in made.files.dropFirst() {
            var less = made
            less.files.removeAll { $0.name == part.name }
            let cache = try less.opened()
            #expect(cache.images.count == 4)
            #expect(cache.problems.count == 1)
            #expect(cache.problems.first?.text.contains("copy \(part.name)") == true)
            for image in cache.images { _ = try? CutFile(image, of: cache) }
        }
    }

    @Test("of a main file alone nothing is readable, and the other files are named once")
    func mainFileAlone() throws {
        var made = GeneratedCache(.iOS26)
        made.files.removeLast(made.files.count - 1)
        let cache = try made.opened()
        let name = made.files[0].name
        #expect(
            cache.problems.map(\.line) == [
                "subcache-missing: copy \(name).01, \(name).02.dylddata, \(name).03.dyldlinkedit "
                    + "as well",
                "symbols-file-missing: copy \(name).symbols as well",
            ])
        #expect(cache.images.count == 4)
        #expect(cache.readableImageCount == 0)
    }

    @Test("a part of another cache is not used", arguments: split)
    func otherParts(layout: Layout) throws {
        let made = GeneratedCache(layout)
        for number in made.files.indices.dropFirst() {
            var mixed = made
            mixed.files[number].bytes[0x58] ^= 1
            let cache = try mixed.opened()
            #expect(cache.problems.map(\.code) == [.otherCache])
            #expect(!cache.fileNames.contains(made.files[number].name))
        }
    }

    @Test("images in missing files are unmapped")
    func unmapped() throws {
        let cache = try GeneratedCache(.iOS16).without(".01").opened()
        let image = try cache.image("libgamma.dylib")
        #expect {
            try CutFile(image, of: cache)
        } throws: { error in
            "\(error)".hasSuffix("is in none of the files of the cache: copy the whole cache")
        }
        #expect(try !cache.symbols(of: "ViewKit").isEmpty)
    }

    @Test("an image is mapped if its header and its link-edit data are in the available files")
    func mappedImages() throws {
        let whole = try GeneratedCache(.iOS16).opened()
        #expect(whole.images.allSatisfy(whole.maps))
        #expect(whole.readableImageCount == 4)
        let half = try GeneratedCache(.iOS16).without(".01").opened()
        #expect(half.images.map { half.maps($0) } == [true, true, false, false])
        #expect(half.readableImageCount == 2)
        let noLinkEdit = try GeneratedCache(.iOS16).without(".dyldlinkedit").opened()
        #expect(!noLinkEdit.images.contains(where: noLinkEdit.maps))
        #expect(noLinkEdit.readableImageCount == 0)
        let noData = try GeneratedCache(.iOS16).without(".dylddata").opened()
        #expect(noData.images.allSatisfy(noData.maps))
        #expect(noData.readableImageCount == 4)
    }

    @Test("a file that ends before its mappings do is a problem, and its images are not readable")
    func shortFile() throws {
        var made = GeneratedCache(.iOS16)
        let number = try #require(
            made.files.firstIndex { $0.name.hasSuffix(".dyldlinkedit") })
        let size = made.files[number].bytes.count
        made.files[number].bytes.removeLast(size - 0x1000)
        let cache = try made.opened()
        #expect(
            cache.problems.map(\.line) == [
                "truncated: \(made.files[number].name) has 4096 of \(size) bytes: copy it again"
            ])
        #expect(cache.readableImageCount == 0)
    }

    @Test("a part without its main file is not a cache", arguments: split)
    func alone(layout: Layout) throws {
        let made = GeneratedCache(layout)
        for number in made.files.indices.dropFirst() {
            let part = GeneratedCache(SharedCacheBuilder(layout)).files[number]
            var only = made
            only.files = [part]
            #expect(throws: SharedCacheError.self) { try only.opened() }
        }
    }

    @Test("local entries are found by their image, in any order and if one is missing")
    func localEntries() throws {
        for layout in Layout.allCases where layout.movesLocals {
            var builder = SharedCacheBuilder(layout)
            builder.localEntries = [3, 0, 2]
            let cache = try GeneratedCache(builder).opened()
            #expect(cache.problems == [])
            #expect(try cache.symbols(of: "ViewKit") == builder.libraries[0].codeSymbols)
            #expect(
                try cache.symbols(of: "libalpha.dylib")
                    == builder.libraries[1].codeSymbols.filter { $0.rank != .local })
            #expect(
                cache.imagesInReadingOrder.map(\.path).sorted()
                    == builder.libraries.map(\.path).sorted())
        }
    }

    @Test("a truncated symbols file affects only local symbols", arguments: [0, 16, 0x230, -1])
    func shortSymbols(count: Int) throws {
        var made = GeneratedCache(.iOS26)
        let last = made.files.count - 1
        made.files[last].bytes =
            count < 0
            ? made.files[last].bytes.dropLast() : Array(made.files[last].bytes.prefix(count))
        let cache = try made.opened()
        #expect(cache.problems.map(\.code) == [.truncated])
        #expect(cache.problems.first?.text.contains(".symbols") == true)
        #expect(!cache.hasLocalSymbols)
        #expect(try cache.symbols(of: "ViewKit").map(\.name) == ["draw", "drawAlias"])
    }

    @Test(
        "the main file of a part is found by its name",
        arguments: [
            ("dyld_shared_cache_arm64e.01", "dyld_shared_cache_arm64e"),
            ("dyld_shared_cache_arm64e.25.dylddata", "dyld_shared_cache_arm64e"),
            ("dyld_shared_cache_arm64e.symbols", "dyld_shared_cache_arm64e.development"),
            ("dyld_shared_cache_arm64e.development.01", "dyld_shared_cache_arm64e.development"),
        ])
    func mainFiles(part: String, main: String) {
        let name = CacheFileName(part)
        #expect(name.possibleMainFiles.contains(main))
        #expect(name.likelyMainFile.map { main.hasPrefix($0) } == true)
        #expect(CacheFileName(main).likelyMainFile == nil)
    }
}
