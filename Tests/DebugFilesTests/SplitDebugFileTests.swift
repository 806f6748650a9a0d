import ByteReading
import CallStacks
import Dwarf
import Foundation
import TestSupport
import Testing

@testable import DebugFiles

@Suite("Debug files with split units")
struct SplitDebugFileTests {
    private func file(_ name: String) throws -> DebugFile {
        let url = projectFolder.appendingPathComponent("Symbols/linux-c-split-dwarf5/\(name)")
        let bytes = FileBytes([UInt8](try Data(contentsOf: url)))
        return try #require(try DebugFile.slices(of: bytes, name: name).files.first)
    }

    /// The file that `objcopy` makes when it merges a debug file and its package.
    private func merged() throws -> DebugFile {
        var elf = ELFBuilder.library()
        elf.sections[0] = .init(".text", flags: 6, at: 0x1000, size: 0x1000)
        let all = [
            try #require(try file("seeds.debug").dwarfSections),
            try file("seeds.debug.dwp").inflatedSections(isSplit: true).sections,
        ]
        for sections in all {
            for name in sections.names {
                guard let bytes = sections[name] else { continue }
                let contents = bytes.withSpan(of: 0..<bytes.count) { span in
                    span.indices.map { span[$0] }
                }
                elf.sections.append(
                    .init(name.inFile(isSplit: sections.isSplit), contents: contents))
            }
        }
        let bytes = FileBytes(elf.bytes())
        return try #require(try DebugFile.slices(of: bytes, name: "merged").files.first)
    }

    @Test("a package merged into its debug file is found there")
    func mergedPackage() throws {
        let file = try merged()
        #expect(file.splitUnits == .package)
        let summary = file.summary()
        #expect(summary.hasInlines && summary.quality == .full && summary.warnings == [])
    }

    @Test("a file with only split units has no identity, and a warning says why")
    func alone() throws {
        for (name, kind) in [("seeds.dwo", SplitUnitsKind.object), ("seeds.debug.dwp", .package)] {
            let file = try file(name)
            #expect(file.splitUnits == kind && file.id == nil)
            #expect(file.splitUnitReferences.isEmpty)
            #expect(file.summary().quality == .nothing)
            #expect(
                file.warnings == [
                    DebugFileWarning(
                        .noIdentity,
                        "has only split units: use it with the file that refers to them")
                ])
        }
    }

    /// A `.dwo` file with a section for each of its units.
    private func repeatedSections() -> ELFBuilder {
        var elf = ELFBuilder()
        elf.type = 1
        let stream = elf.compressed(zlibStream([2, 2]), type: 1, size: 2)
        elf.sections = [
            .init(".debug_info.dwo", contents: [1]),
            .init(".debug_info.dwo", flags: 0x800, contents: stream),
            .init(".debug_info.dwo", contents: [3]), .init(".debug_abbrev.dwo", contents: [4]),
        ]
        return elf
    }

    @Test("sections of single units are joined, as GCC writes them with its type units")
    func sectionsOfUnits() throws {
        let bytes = FileBytes(repeatedSections().bytes())
        let file = try #require(try DebugFile.slices(of: bytes, name: "a.dwo").files.first)
        let sections = file.inflatedSections(isSplit: true).sections
        let info = sections.bytes(.info)
        #expect(info.subject == ".debug_info.dwo")
        #expect(info.count == 4)
        #expect(try [0, 1, 2, 3].map { try info.number(UInt8.self, at: $0) } == [1, 2, 2, 3])
        #expect(sections.bytes(.abbrev).count == 1)
    }

    @Test("sections of units that share their bytes are refused")
    func overlappingSections() throws {
        var elf = repeatedSections()
        for index in [0, 2] {
            elf.sections[index].size = 400
            elf.sections[index].falseOffset = 0
        }
        let bytes = FileBytes(elf.bytes())
        #expect(bytes.count < 800)
        let file = try #require(try DebugFile.slices(of: bytes, name: "a.dwo").files.first)
        let inflated = file.inflatedSections(isSplit: true)
        #expect(inflated.sections[.info] == nil)
        #expect(inflated.errors.map(\.reason) == [.malformed("sections overlap")])
    }

    @Test("references have the name of the file; a stripped file has none")
    func references() throws {
        #expect(try file("seeds.debug").splitUnitReferences.map(\.fileName) == ["seeds.dwo"])
        #expect(try file("seeds").splitUnitReferences.isEmpty)
        #expect(try file("seeds.debug").splitUnits == nil)
    }

    @Test("without its split units a file has lines, and a warning counts the units")
    func missing() throws {
        let summary = try file("seeds.debug").summary()
        #expect(summary.quality == .lines && summary.splitUnitsMissing == 1)
        #expect(
            summary.warnings == [
                DebugFileWarning(
                    .splitDwarfMissing,
                    "functions and inlined calls of 1 of 1 units are in .dwo files: "
                        + "add them or the .dwp")
            ])
    }
}
