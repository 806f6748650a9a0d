import CallStacks
import Problems
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Symbol inventory")
struct SymbolInventoryTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test("every slice of a universal file is found by its identity")
    func universal() throws {
        var slices = [MachOBuilder.library(), MachOBuilder.library()]
        slices[1].cpuType = 0x0100_0007
        slices[1].uuid = [UInt8](repeating: 9, count: 16)
        let bytes = MachOBuilder.fat(slices.map { ($0.cpuType, $0.cpuSubtype, $0.bytes()) })
        let inventory = SymbolInventory(paths: [try folder.write(bytes, to: "x")])
        #expect(
            inventory.images == [
                ImageID(bytes: Array(1...16)), ImageID(bytes: [UInt8](repeating: 9, count: 16)),
            ])
        #expect(inventory.fileCount == 1)
        #expect(inventory.problems.isEmpty)
    }

    @Test("a file without identity describes nothing")
    func noIdentity() throws {
        try folder.write(ELFBuilder.library(buildID: nil).bytes(), to: "x")
        let inventory = SymbolInventory(paths: [folder.path])
        #expect(inventory.images.isEmpty)
        #expect(inventory.problems.isEmpty)
    }

    @Test("files with debug information come first, then larger ones, then those found first")
    func order() throws {
        let image = identity(1)
        try folder.write(library(1), to: "a")
        try folder.write(library(1), to: "b")
        try folder.write(library(1, function: String(repeating: "f", count: 500)), to: "c")
        var debug = ELFBuilder.library(buildID: image.bytes)
        debug.sections.append(.init(".debug_info", contents: [1]))
        try folder.write(debug.bytes(), to: "d")
        let candidates = SymbolInventory(paths: [folder.path]).candidates(for: image)
        #expect(candidates.map { folder.relative($0.path) } == ["d", "c", "a", "b"])
        #expect(candidates.map(\.hasDebugInformation) == [true, false, false, false])
    }

    @Test("a lookalike of a debug file is skipped in a folder, and fails if listed explicitly")
    func lookAlikes() throws {
        let javaClass = try folder.write([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52], to: "a/X.class")
        let archive = Array("!<arch>\n".utf8)
        let fat = MachOBuilder.fat([(0x0100_000c, 0, archive), (0x0100_0007, 3, archive)])
        let library = try folder.write(fat, to: "a/libX.a")
        #expect(SymbolInventory(paths: [folder.path("a")]).problems.isEmpty)
        let problems = SymbolInventory(paths: [javaClass, library]).problems
        #expect(problems.allSatisfy { $0.isExplicit })
        #expect(
            Set(problems.map { folder.relative($0.error.description) }) == [
                "a/X.class: is not a Mach-O or ELF file: use a dSYM or a debug file",
                "a/libX.a: is a static library: "
                    + "pass the dSYM or debug file of the image it was linked into",
            ])
    }

    @Test("a damaged slice does not affect other slices")
    func damagedSlice() throws {
        let good = MachOBuilder.library()
        let slices = [
            (good.cpuType, good.cpuSubtype, good.bytes()),
            (0x0100_0007, 3, Array(good.bytes().prefix(40))),
        ]
        try folder.write(MachOBuilder.fat(slices), to: "x")
        let inventory = SymbolInventory(paths: [folder.path])
        #expect(inventory.images == [ImageID(bytes: Array(1...16))])
        #expect(inventory.problems.count == 1)
        let problem = try #require(inventory.problems.first)
        #expect(problem.error.problem.suggestion == "build or download it again")
        #expect(!problem.isExplicit)
    }
}
