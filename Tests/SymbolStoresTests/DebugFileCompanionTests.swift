import CallStacks
import Problems
import TestSupport
import Testing

@testable import SymbolStores

/// Files without debug information, and where theirs is.
@Suite("Companions of stripped files")
struct DebugFileCompanionTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func debugLibrary(_ number: UInt8) -> [UInt8] {
        var file = ELFBuilder.library(buildID: identity(number).bytes)
        file.sections.append(.init(".debug_info", contents: [1]))
        return file.bytes()
    }

    private func linkedLibrary(_ number: UInt8, to name: String) -> [UInt8] {
        var file = ELFBuilder.library(buildID: identity(number).bytes)
        let text = Array(name.utf8) + [0]
        let padding = [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
        file.sections.append(
            .init(".gnu_debuglink", contents: text + padding + [1, 2, 3, 4]))
        return file.bytes()
    }

    private func candidates(
        _ name: String, _ image: ImageID = identity(1), debugFolders: [String] = []
    ) -> [String] {
        SymbolInventory(paths: [folder.path(name)], debugFolders: debugFolders.map(folder.path))
            .candidates(for: image).map { folder.relative($0.path) }
    }

    @Test(
        "a debug file is found by its link, next to the file and in .debug, and by usual suffixes",
        arguments: ["link.dbg", ".debug/link.dbg", "lib.debug", "lib.dbg"])
    func places(name: String) throws {
        try folder.write(linkedLibrary(1, to: "link.dbg"), to: "lib")
        try folder.write(debugLibrary(1), to: name)
        #expect(candidates("lib") == [name, "lib"])
    }

    @Test("a debug file is found by its build ID, in the tree next to the file")
    func buildIDTreeBeside() throws {
        let hex = identity(1).hex
        let name = "bin/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"
        try folder.write(library(1), to: "bin/lib")
        try folder.write(debugLibrary(1), to: name)
        #expect(candidates("bin/lib") == [name, "bin/lib"])
    }

    @Test(
        "a debug file is found in a folder for debug files, by build ID, path and link",
        arguments: ["id", "path", "link"])
    func debugFolders(key: String) throws {
        let hex = identity(1).hex
        let names = [
            "id": "debug/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug",
            "path": "debug\(folder.path("bin/lib")).debug",
            "link": "debug\(folder.path("bin"))/link.dbg",
        ]
        let name = try #require(names[key])
        try folder.write(linkedLibrary(1, to: "link.dbg"), to: "bin/lib")
        try folder.write(debugLibrary(1), to: name)
        #expect(candidates("bin/lib") == ["bin/lib"])
        #expect(
            candidates("bin/lib", debugFolders: ["empty", "debug"]) == [name, "bin/lib"])
    }

    @Test(
        "the suffix of the name is irrelevant",
        arguments: ["lib.debug", "lib.dbg", "lib.stripped.debug"])
    func otherEnding(name: String) throws {
        try folder.write(library(1), to: "lib.stripped")
        try folder.write(debugLibrary(1), to: name)
        #expect(candidates("lib.stripped") == [name, "lib.stripped"])
    }

    @Test("a debug file of another build is not used")
    func otherBuild() throws {
        try folder.write(library(1), to: "lib")
        try folder.write(debugLibrary(2), to: "lib.debug")
        let inventory = SymbolInventory(paths: [folder.path("lib")])
        #expect(inventory.images == [identity(1)])
        #expect(candidates("lib") == ["lib"])
        #expect(inventory.problems.isEmpty)
    }

    @Test("a debug link with a path is ignored")
    func linkWithPath() throws {
        try folder.write(linkedLibrary(1, to: "../lib.secret"), to: "a/lib")
        try folder.write(debugLibrary(1), to: "lib.secret")
        #expect(candidates("a/lib") == ["a/lib"])
    }

    @Test(
        "the dSYM of a Mach-O file is found next to it, or next to the app that contains it",
        arguments: ["a/Orchard.app/Orchard.dSYM", "a/Orchard.app.dSYM"])
    func bundles(name: String) throws {
        let image = try #require(ImageID(bytes: Array(1...16)))
        var dSYM = MachOBuilder.library()
        dSYM.fileType = 10
        dSYM.segments.append(
            .init("__DWARF", at: 0x2_0000_0000, [.init("__debug_info", contents: [1])]))
        try folder.write(MachOBuilder.library().bytes(), to: "a/Orchard.app/Orchard")
        try folder.write(dSYM.bytes(), to: "\(name)/Contents/Resources/DWARF/Orchard")
        #expect(
            candidates("a/Orchard.app/Orchard", image) == [
                "\(name)/Contents/Resources/DWARF/Orchard", "a/Orchard.app/Orchard",
            ])
    }

    @Test("a file whose .build-id path has another id is used, with a warning")
    func buildIDTree() throws {
        let hex = identity(1).hex
        let good = "tree/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"
        try folder.write(debugLibrary(1), to: good)
        try folder.write(debugLibrary(2), to: "tree/.build-id/03/0303.debug")
        let inventory = SymbolInventory(paths: [folder.path("tree")])
        #expect(inventory.images == [identity(1), identity(2)])
        #expect(
            inventory.problems.map { folder.relative($0.error.description) } == [
                "tree/.build-id/03/0303.debug: has the build ID \(identity(2)), "
                    + "but its path has another: the file's own is used"
            ])
        #expect(inventory.problems.map(\.isExplicit) == [false])
    }
}
