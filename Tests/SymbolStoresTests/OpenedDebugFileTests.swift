import CallStacks
import DebugFiles
import Foundation
import Problems
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Opened debug files")
struct OpenedDebugFileTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func problem(_ name: String, architecture: String? = nil) -> String? {
        do throws(SymbolStoreError) {
            _ = try OpenedDebugFile(path: folder.path(name), architecture: architecture)
            return nil
        } catch {
            return folder.relative(error.description)
        }
    }

    @discardableResult
    private func copy(_ name: String, to path: String) throws -> String {
        let build = projectFolder.appendingPathComponent("Symbols/linux-c-split-dwarf5")
        let bytes = try Data(contentsOf: build.appendingPathComponent(name))
        return try folder.write([UInt8](bytes), to: path)
    }

    @Test("a bundle with one file opens that file")
    func bundle() throws {
        let file = try folder.write(library(1), to: "X.dSYM/Contents/Resources/DWARF/X")
        let opened = try OpenedDebugFile(path: folder.path("X.dSYM"), architecture: nil)
        #expect(opened.path == file)
        #expect(opened.file.id == identity(1))
    }

    @Test("several files or slices require a choice")
    func several() throws {
        let first = try folder.write(library(1), to: "two/a")
        try folder.write(library(2), to: "two/b")
        #expect(
            problem("two") == "two: contains 2 debug files: use one of them, such as '\(first)'")
        var other = MachOBuilder.library()
        other.cpuType = 0x0100_0007
        other.cpuSubtype = 3
        let slices = [MachOBuilder.library(), other].map {
            ($0.cpuType, $0.cpuSubtype, $0.bytes())
        }
        try folder.write(MachOBuilder.fat(slices), to: "fat")
        #expect(problem("fat") == "fat: contains 2 slices (arm64, x86_64): select one with --arch")
        #expect(problem("fat", architecture: "x86_64") == nil)
        #expect(
            problem("fat", architecture: "armv7")
                == "fat: no slice for 'armv7' (slices: arm64, x86_64): select another with --arch"
        )
    }

    @Test(
        "split units, object files and stripped files belong to the debug file next to them",
        arguments: ["seeds.dwo", "seeds.debug.dwp"])
    func parts(name: String) throws {
        let file = try copy("seeds.debug", to: "all/seeds.debug")
        try copy("seeds", to: "all/seeds")
        try copy(name, to: "all/\(name)")
        var object = ELFBuilder.library()
        object.type = 1
        try folder.write(object.bytes(), to: "all/seeds.o")
        let opened = try OpenedDebugFile(path: folder.path("all"), architecture: nil)
        #expect(opened.path == file)
        #expect(opened.file.summary().hasInlines)
        #expect(try ChosenSlice(path: folder.path("all"), architecture: nil).path == file)
        try copy(name, to: "part/\(name)")
        #expect(try ChosenSlice(path: folder.path("part"), architecture: nil).file.kind.isObject)
    }

    @Test("a file other than a debug file is an error")
    func noDebugFile() throws {
        try folder.write(Array("text".utf8), to: "notes")
        #expect(
            problem("notes") == "notes: is not a Mach-O or ELF file: use a dSYM or a debug file")
        #expect(problem("nosuch") == "nosuch: no such file or folder: check the path")
    }
}
