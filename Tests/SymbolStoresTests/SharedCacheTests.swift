import CallStacks
import Foundation
import Problems
import SharedCaches
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Shared caches on disk")
struct SharedCacheTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private static let view = ImageID(bytes: [UInt8](repeating: 0xa1, count: 16))!
    private static let gamma = ImageID(bytes: [UInt8](repeating: 0xa4, count: 16))!

    @discardableResult
    private func write(
        _ layout: SharedCacheBuilder.Layout = .iOS26, to name: String = "caches",
        change: (inout SharedCacheBuilder) -> Void = { _ in }
    ) throws -> [String] {
        var builder = SharedCacheBuilder(layout)
        change(&builder)
        return try builder.files().map { try folder.write($0.bytes, to: "\(name)/\($0.name)") }
    }

    private func symbols(_ path: String, cached: Bool = false) -> LocalSymbolProvider {
        LocalSymbolProvider(
            SymbolInventory(paths: [path]),
            cachedIn: cached ? IndexFolder(path: folder.path("index")) : nil)
    }

    @Test("a folder of a cache names its images", arguments: SharedCacheBuilder.Layout.allCases)
    func folderOfCache(layout: SharedCacheBuilder.Layout) async throws {
        try write(layout)
        let symbols = symbols(folder.path("caches"))
        #expect(symbols.inventory.problems == [])
        #expect(symbols.inventory.caches.count == 1)
        #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
        #expect(await symbols.names(Self.gamma, at: ImageOffset(0x446)) == ["gamma"])
        #expect(await !symbols.status(Self.view, at: ImageOffset(0x484)).isResolved)
        #expect(symbols.name(of: Self.view) == "ViewKit")
    }

    @Test("each file of a cache refers to the whole cache")
    func anyFile() async throws {
        for file in try write() {
            let symbols = symbols(file)
            #expect(symbols.inventory.problems == [], "\(file)")
            #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
        }
    }

    @Test("a part without its main file is an error that suggests the folder")
    func orphan() throws {
        let files = try write()
        try FileManager.default.removeItem(atPath: files[0])
        for file in files.dropFirst() {
            let problems = symbols(file).inventory.problems
            #expect(
                problems.map(\.error.description) == [
                    "\(file): is part of a cache: give the folder"
                ])
            #expect(problems.map(\.isExplicit) == [true])
        }
    }

    @Test("in a folder without the main file of a cache, only that file is reported")
    func folderWithoutMainFile() throws {
        let files = try write()
        try FileManager.default.removeItem(atPath: files[0])
        let problems = symbols(folder.path("caches")).inventory.problems
        #expect(
            problems.map(\.error.description) == [
                "\(files[0]): main file of a shared cache is missing: copy it as well"
            ])
    }

    @Test("a main file that cannot be read is reported once, also if a part is given")
    func refusedMainFile() throws {
        let files = try write { $0.magic = "dyld_v0  arm64e" }
        let problem =
            "\(files[0]): version of the shared cache is unsupported, only dyld_v1 is read"
        for path in [folder.path("caches"), files[0], files[1]] {
            let problems = symbols(path).inventory.problems
            #expect(problems.map(\.error.description) == [problem], "\(path)")
        }
    }

    @Test("a cache that has the name of a part is a cache")
    func renamed() async throws {
        try write(.macOS) { $0.name = "cache-1042.1" }
        let symbols = symbols(folder.path("caches/cache-1042.1"))
        #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
    }

    @Test("several caches in a folder are read each by itself, and one identity counts once")
    func severalCaches() async throws {
        try write()
        try write(.iOS26) { $0.name = "dyld_shared_cache_arm64" }
        try write(to: "caches/DriverKit")
        let inventory = SymbolInventory(paths: [folder.path("caches")])
        #expect(inventory.problems == [])
        #expect(inventory.caches.count == 3)
        #expect(inventory.images.count == 4)
    }

    @Test("a missing symbols file is a warning, and no result is stale once it arrives")
    func lateSymbols() async throws {
        let files = try write()
        let last = try #require(files.last)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: last)))
        try FileManager.default.removeItem(atPath: last)
        let poor = symbols(folder.path("caches"), cached: true)
        #expect(
            poor.inventory.problems.map(\.error.description) == [
                "\(files[0]): symbols-file-missing: copy dyld_shared_cache_arm64e.symbols as well"
            ])
        #expect(poor.inventory.problems.map(\.isExplicit) == [false])
        #expect(await poor.status(Self.view, at: ImageOffset(0x424)) == .noDebugInfo)
        #expect(await poor.names(Self.view, at: ImageOffset(0x404)) == ["draw"])
        try folder.write(bytes, to: folder.relative(last))
        let whole = symbols(folder.path("caches"), cached: true)
        #expect(await whole.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
    }

    @Test("images whose data is in a missing file are missing, and the file is reported once")
    func missingPart() async throws {
        let files = try write()
        let file = try #require(files.first { $0.hasSuffix(".dyldlinkedit") })
        try FileManager.default.removeItem(atPath: file)
        let symbols = symbols(folder.path("caches"))
        #expect(
            symbols.inventory.problems.map(\.error.description) == [
                "\(files[0]): subcache-missing: copy dyld_shared_cache_arm64e.03.dyldlinkedit as well"
            ])
        #expect(await symbols.status(Self.view, at: ImageOffset(0x424)) == .missingImage)
        let list = SystemImageList(paths: [folder.path("caches")])
        #expect(list.images.isEmpty)
        #expect(list.skippedCount == 4)
    }

    @Test("an index is built once and kept")
    func keptIndex() async throws {
        try write()
        for _ in 0..<2 {
            let symbols = symbols(folder.path("caches"), cached: true)
            #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
        }
        #expect(folder.names(in: "index").filter { $0.hasSuffix(".symidx") }.count == 1)
    }

    @Test(
        "folders of DeviceSupport are read, whatever they are called",
        arguments: [
            "18.1 (22B83)", "iPhone15,2 18.1 (22B83)", "iPhone15,2 18.1 (22B83) arm64e",
            "18.1 (22B83) universal", "iPhone15,2 18.1 (22B83)/arm64e",
        ])
    func deviceSupport(name: String) async throws {
        let caches = "iOS DeviceSupport/\(name)/Symbols/System/Library/Caches/com.apple.dyld"
        try write(to: caches)
        try folder.write("", to: "iOS DeviceSupport/\(name)/.finalized")
        try folder.write("", to: "iOS DeviceSupport/\(name)/.processed_dyld_shared_cache_arm64e")
        let symbols = symbols(folder.path("iOS DeviceSupport"))
        #expect(symbols.inventory.problems == [])
        #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
    }

    @Test("of a cache and the file extracted from it, the cache is used")
    func extracted() async throws {
        try write()
        var library = CachedLibrary.examples[0]
        library.symbols = [.init("_extracted", at: 0x420, .exported)]
        try folder.write(library.dylib.bytes(), to: "caches/Symbols/ViewKit")
        let both = symbols(folder.path("caches"))
        #expect(await both.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
        let alone = symbols(folder.path("caches/Symbols"))
        #expect(await alone.names(Self.view, at: ImageOffset(0x424)) == ["extracted"])
    }

    /// Writes the whole cache, and before it a copy without one of its files.
    private func writeCopies(without ending: String) throws {
        for file in try write(to: "caches/a") where file.hasSuffix(ending) {
            try FileManager.default.removeItem(atPath: file)
        }
        try write(to: "caches/b")
    }

    @Test(
        "of two copies of a cache, the complete one is extracted and used for lookups",
        arguments: [".symbols", ".dyldlinkedit"])
    func incompleteCopy(ending: String) async throws {
        try writeCopies(without: ending)
        let list = SystemImageList(paths: [folder.path("caches")])
        #expect(list.images.count == 4)
        for image in list.images { #expect(try image.cut().isComplete, "\(image.name)") }
        let symbols = symbols(folder.path("caches"))
        #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
    }

    @Test("of a cache without local symbols and the file extracted from it, the file is used")
    func extractedWithLocals() async throws {
        for file in try write() where file.hasSuffix(".symbols") {
            try FileManager.default.removeItem(atPath: file)
        }
        let exportCount = try #require(
            SystemImageList(paths: [folder.path("caches")]).images.first { $0.id == Self.view }
        ).cut().symbolCount
        try folder.write(CachedLibrary.examples[0].dylib.bytes(), to: "caches/Symbols/ViewKit")
        let list = SystemImageList(paths: [folder.path("caches")])
        #expect(list.images.count == 4)
        let image = try #require(list.images.first { $0.id == Self.view })
        #expect(try image.cut().symbolCount > exportCount)
        let symbols = symbols(folder.path("caches"))
        #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
    }

    @Test("a link to a cache names its images as well")
    func link() async throws {
        try write()
        try folder.link("linked", to: folder.path("caches"))
        let symbols = symbols(folder.path("linked"))
        #expect(await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
    }

    @Test("a link to any file of a cache, whatever its name, refers to the whole cache")
    func fileLinks() async throws {
        for (number, file) in try write().enumerated() {
            try folder.write("", to: "links/\(number)/notes")
            try folder.link("links/\(number)/part", to: file)
            for path in ["links/\(number)/part", "links/\(number)"] {
                let symbols = symbols(folder.path(path))
                #expect(symbols.inventory.problems == [], "\(file)")
                #expect(symbols.inventory.images.count == 4)
                #expect(
                    await symbols.names(Self.view, at: ImageOffset(0x424)) == ["-[Window layout]"])
            }
        }
    }

    @Test("links to the files of a cache may have the only names that fit together")
    func linkedStore() throws {
        for (number, file) in try write().enumerated() {
            let name = try #require(file.split(separator: "/").last)
            let stored = folder.path("store-\(number)")
            try FileManager.default.moveItem(atPath: file, toPath: stored)
            try folder.link("caches/\(name)", to: stored)
        }
        let inventory = symbols(folder.path("caches")).inventory
        #expect(inventory.problems == [])
        #expect(inventory.caches.count == 1)
        #expect(inventory.images.count == 4)
    }
}
