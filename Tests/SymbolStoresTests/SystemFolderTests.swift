import CallStacks
import DebugFiles
import Foundation
import Problems
import SharedCaches
import TestSupport
import Testing

@testable import SymbolStores

@Suite("System folder")
struct SystemFolderTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func images(_ name: String, hasSymbols: Bool = true) throws -> [SystemImage] {
        for file in SharedCacheBuilder(.iOS26).files()
        where hasSymbols || !file.name.hasSuffix(".symbols") {
            try folder.write(file.bytes, to: "\(name)/\(file.name)")
        }
        return SystemImageList(paths: [folder.path(name)]).images
    }

    @Test("a file with fewer symbols does not replace one with all, and one with all replaces it")
    func quality() throws {
        let system = SystemFolder(path: folder.path("system"))
        let poor = try #require(
            try images("poor", hasSymbols: false).first { $0.name == "ViewKit" })
        let whole = try #require(try images("whole").first { $0.name == "ViewKit" })
        #expect(try system.add(poor.cut(), of: poor.id))
        #expect(try system.add(whole.cut(), of: whole.id))
        #expect(try !system.add(poor.cut(), of: poor.id))
        let files = system.files.flatMap(\.files)
        #expect(files.map(\.hasCompleteSymbols) == [true])
        #expect(folder.names(in: "system") == ["\(whole.id).macho"])
    }

    @Test("of two files of one image in an update, the one with all symbols is stored")
    func uncommitted() throws {
        let system = SystemFolder(path: folder.path("system"))
        let poor = try #require(
            try images("poor", hasSymbols: false).first { $0.name == "ViewKit" })
        let whole = try #require(try images("whole").first { $0.name == "ViewKit" })
        var update = SystemFolderUpdate(of: system)
        #expect(try update.add(poor.cut(), of: poor.id))
        #expect(try update.add(whole.cut(), of: whole.id))
        #expect(try !update.add(poor.cut(), of: poor.id))
        #expect(system.files.isEmpty)
        #expect(update.commit().isEmpty)
        #expect(update.storedCount == 1)
        #expect(system.files.flatMap(\.files).map(\.hasCompleteSymbols) == [true])
        #expect(folder.names(in: "system") == ["\(whole.id).macho"])
    }

    @Test("an image that cannot be stored is reported, and the others of the update are stored")
    func refused() throws {
        let system = SystemFolder(path: folder.path("system"))
        let images = try images("whole")
        try #require(images.count > 1)
        try folder.write([1], to: "system/\(images[0].id).macho/file")
        var update = SystemFolderUpdate(of: system)
        for image in images { #expect(try update.add(image.cut(), of: image.id)) }
        let failures = update.commit()
        #expect(failures.count == 1)
        #expect(failures.first?.description.contains("\(images[0].id).macho") == true)
        #expect(update.storedCount == images.count - 1)
        #expect(Set(folder.names(in: "system")) == Set(images.map { "\($0.id).macho" }))
    }

    @Test("drafts of killed runs are removed after a day")
    func drafts() throws {
        let system = SystemFolder(path: folder.path("system"))
        let image = try #require(try images("whole").first)
        let old = try folder.write([1], to: "system/old.draft")
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(-25 * 3_600)], ofItemAtPath: old)
        try folder.write([1], to: "system/new.draft")
        #expect(try system.add(image.cut(), of: image.id))
        #expect(Set(folder.names(in: "system")) == ["new.draft", "\(image.id).macho"])
    }

    @Test("an update that is not committed leaves no file")
    func abandoned() throws {
        let system = SystemFolder(path: folder.path("system"))
        let image = try #require(try images("whole").first { $0.name == "ViewKit" })
        do {
            var update = SystemFolderUpdate(of: system)
            #expect(try update.add(image.cut(), of: image.id))
            #expect(folder.names(in: "system").count == 1)
        }
        #expect(folder.names(in: "system").isEmpty)
    }

    @Test("files extracted from a cache are converted as well, and keep their symbols")
    func extracted() async throws {
        try folder.write(CachedLibrary.examples[0].dylib.bytes(), to: "extracted/ViewKit")
        let image = try #require(SystemImageList(paths: [folder.path("extracted")]).images.first)
        #expect(image.name == "ViewKit")
        let cut = try image.cut()
        #expect(!cut.isComplete)
        let system = SystemFolder(path: folder.path("system"))
        #expect(try system.add(cut, of: image.id))
        let symbols = LocalSymbolProvider(SymbolInventory(paths: [], system: system), cachedIn: nil)
        #expect(await symbols.names(image.id, at: ImageOffset(0x424)) == ["-[Window layout]"])
        #expect(symbols.name(of: image.id) == "ViewKit")
        let given = SymbolInventory(paths: [folder.path("system")])
        #expect(LocalSymbolProvider(given, cachedIn: nil).name(of: image.id) == "ViewKit")
    }

    @Test("given symbols are searched before the folder")
    func order() async throws {
        let system = SystemFolder(path: folder.path("system"))
        let whole = try #require(try images("whole").first { $0.name == "ViewKit" })
        _ = try system.add(try whole.cut(), of: whole.id)
        var library = CachedLibrary.examples[0]
        library.symbols = [.init("_given", at: 0x420, .exported)]
        try folder.write(library.dylib.bytes(), to: "given/ViewKit")
        let inventory = SymbolInventory(paths: [folder.path("given")], system: system)
        let symbols = LocalSymbolProvider(inventory, cachedIn: nil)
        #expect(await symbols.names(whole.id, at: ImageOffset(0x424)) == ["given"])
    }

    @Test("the folder is that of the user's data")
    func place() {
        #expect(SystemFolder(environment: ["XDG_DATA_HOME": "/d"])?.path == "/d/symbolist/system")
        #expect(
            SystemFolder(environment: ["HOME": "/h"])?.path == "/h/.local/share/symbolist/system")
        #expect(SystemFolder(environment: [:]) == nil)
    }
}

extension SystemFolder {
    /// Stores one image.
    fileprivate func add(_ cut: CutFile, of image: ImageID) throws -> Bool {
        var update = SystemFolderUpdate(of: self)
        let isAdded = try update.add(cut, of: image)
        let failures = update.commit()
        #expect(failures.isEmpty)
        return isAdded
    }
}
