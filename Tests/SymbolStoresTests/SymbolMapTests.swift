import CallStacks
import DebugFiles
import Foundation
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Names that bitcode builds hid")
struct SymbolMapTests {
    let folder: TestFolder
    private let original = "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
    private let resources = "store/Orchard.app.dSYM/Contents/Resources"
    private var image: ImageID { ImageID(bytes: Array(1...16))! }

    init() throws { folder = try TestFolder() }

    /// A dSYM of the store's build, whose only function has a placeholder for a name.
    private func dSYM() -> [UInt8] {
        var file = MachOBuilder.library()
        file.fileType = 10
        file.uuid = image.bytes
        file.symbols = [.init("__hidden#1_", at: 0x1_0000_1000)]
        return file.bytes()
    }

    private func map(_ names: String...) -> [UInt8] {
        Array((["BCSymbolMap Version: 2.0"] + names).joined(separator: "\n").utf8)
    }

    private var propertyList: [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
                <key>DBGArchitecture</key> <string>arm64</string>
                <key>DBGOriginalUUID</key>
                <string>\(original)</string>
            </dict></plist>
            """.utf8)
    }

    private func writeBundle() throws {
        try folder.write(dSYM(), to: "\(resources)/DWARF/Orchard")
        try folder.write(propertyList, to: "\(resources)/\(image).plist")
    }

    /// Returns the results of a new run.
    private func names(_ paths: String...) async -> [String] {
        let inventory = SymbolInventory(
            paths: paths.map(folder.path), unpackingIn: ArchiveFolder(path: folder.path("archives"))
        )
        #expect(inventory.problems.isEmpty)
        let symbols = LocalSymbolProvider(
            inventory, cachedIn: IndexFolder(path: folder.path("cache")))
        return await symbols.names(image, at: ImageOffset(0x1000))
    }

    @Test("are numbers without the map, and restored with it")
    func renaming() async throws {
        try writeBundle()
        #expect(await names("store") == ["hidden symbol 1"])
        try folder.write(
            map("_main", "_plant"), to: "My.xcarchive/BCSymbolMaps/\(original).bcsymbolmap")
        #expect(await names("store", "My.xcarchive") == ["plant"])
        #expect(
            await names("store", "My.xcarchive/BCSymbolMaps/\(original).bcsymbolmap") == ["plant"])
    }

    @Test("are read again when the map changes, and hidden again without it")
    func cached() async throws {
        try writeBundle()
        let name = "store/BCSymbolMaps/\(original).bcsymbolmap"
        try folder.write(map("_main", "_plant"), to: name)
        #expect(await names("store") == ["plant"])
        try folder.write(map("_main", "_water_all"), to: name)
        #expect(await names("store") == ["water_all"])
        try FileManager.default.removeItem(atPath: folder.path(name))
        #expect(await names("store") == ["hidden symbol 1"])
    }

    @Test("are those of the build itself if no property list refers to another")
    func noPropertyList() async throws {
        try folder.write(dSYM(), to: "\(resources)/DWARF/Orchard")
        try folder.write(map("_main", "_plant"), to: "store/\(image).bcsymbolmap")
        #expect(await names("store") == ["plant"])
    }

    @Test("are found in an archive")
    func archive() async throws {
        var zip = ZipBuilder()
        zip.add("\(resources)/DWARF/Orchard", dSYM())
        zip.add("\(resources)/\(image).plist", propertyList)
        zip.add("BCSymbolMaps/\(original).bcsymbolmap", map("_main", "_plant"))
        try folder.write(zip.bytes(), to: "store.zip")
        #expect(await names("store.zip") == ["plant"])
    }

    @Test("an inspection reports hidden names, a map with them, or a damaged map")
    func inspection() throws {
        try writeBundle()
        func slice() throws -> DebugFileInspection.Slice {
            try #require(DebugFileInspection(paths: [folder.path("store")]).slices.first)
        }
        #expect(try slice().warnings.map(\.code) == [.noDebugInfo, .hiddenSymbols])
        #expect(try slice().symbolMap == nil)
        let name = "store/\(original).bcsymbolmap"
        try folder.write(map("_main", "_plant"), to: name)
        #expect(try slice().warnings.map(\.code) == [.noDebugInfo])
        #expect(try slice().symbolMap == folder.path(name))
        try folder.write(Array("nothing".utf8), to: name)
        let warning = try #require(try slice().warnings.last)
        #expect(warning.code == .hiddenSymbols)
        #expect(warning.text.contains("is not a BCSymbolMap"))
    }
}
