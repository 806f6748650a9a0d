import ByteReading
import DebugFiles
import Dwarf
import TestSupport
import Testing

@Suite("Sections of debug information")
struct DebugSectionTests {
    static let info = Array("compile units".utf8)

    private func sections(_ bytes: [UInt8]) throws -> DwarfSections {
        try #require(try DebugFileTests.file(bytes).dwarfSections)
    }

    private func array(_ bytes: FileBytes?) -> [UInt8]? {
        bytes.map { bytes in
            bytes.withSpan(of: 0..<bytes.count) { span in span.indices.map { span[$0] } }
        }
    }

    @Test("Mach-O sections are found by name, in any segment, under their ELF names")
    func machONames() throws {
        var file = MachOBuilder.library()
        file.segments.append(
            .init(
                "__OTHER", at: 0,
                [
                    .init("__debug_info", contents: Self.info),
                    .init("__debug_str_offs", contents: [1]),
                    .init("__debug_line_str", contents: [2]),
                    .init("__debug_rnglists", contents: [3]), .init("__debug_str", contents: [4]),
                ]))
        let sections = try sections(file.bytes())
        #expect(array(sections[.info]) == Self.info)
        #expect(array(sections[.strOffsets]) == [1])
        #expect(array(sections[.lineStr]) == [2])
        #expect(array(sections[.rnglists]) == [3])
        #expect(array(sections[.str]) == [4])
        #expect(sections[.line] == nil)
        #expect(sections[.info]?.subject == ".debug_info")
        #expect(sections.addressSize == 8)
        #expect(!sections.isBigEndian)
    }

    @Test("relocations of a kernel's sections are not mistaken for the sections")
    func relocations() throws {
        var elf = ELFBuilder.library()
        elf.sections.append(.init(".rela.debug_info", type: 4, contents: [1, 2, 3]))
        #expect(try !DebugFileTests.file(elf.bytes()).hasDebugInformation)
        elf.sections.append(.init(".debug_info", contents: Self.info))
        #expect(array(try sections(elf.bytes())[.info]) == Self.info)
    }

    @Test("a section of a dSYM at file offset 0 is missing")
    func offsetZero() throws {
        var file = MachOBuilder.library()
        file.segments.append(.init("__DWARF", at: 0, [.init("__debug_info", size: 64)]))
        #expect(try !DebugFileTests.file(file.bytes()).hasDebugInformation)
    }

    @Test("compressed sections have the same bytes as plain ones")
    func compressed() throws {
        var machO = MachOBuilder.library()
        machO.segments.append(
            .init("__DWARF", at: 0, [.init("__zdebug_info", contents: zdebugSection(Self.info))]))
        let elf = ELFBuilder.library()
        let size = UInt64(Self.info.count)
        let forms: [ELFBuilder.Section] = [
            .init(".zdebug_info", contents: zdebugSection(Self.info)),
            .init(
                ".debug_info", flags: 0x800,
                contents: elf.compressed(zlibStream(Self.info), type: 1, size: size)),
            .init(
                ".debug_info", flags: 0x800,
                contents: elf.compressed(zstdStream(Self.info), type: 2, size: size)),
            .init(".debug_info", contents: Self.info),
        ]
        let files = forms.map { section in
            var elf = elf
            elf.sections.append(section)
            return elf.bytes()
        }
        for bytes in [machO.bytes()] + files {
            #expect(array(try sections(bytes)[.info]) == Self.info)
        }
    }

    @Test("a damaged section is dropped and the others are kept")
    func damaged() throws {
        var elf = ELFBuilder.library()
        elf.sections.append(.init(".debug_info", contents: Self.info))
        let cut = elf.compressed(Array(zlibStream(Self.info).dropLast()), type: 1, size: 13)
        elf.sections.append(.init(".debug_str", flags: 0x800, contents: cut))
        let sections = try sections(elf.bytes())
        #expect(array(sections[.info]) == Self.info)
        #expect(sections[.str] == nil)
    }

    @Test("compressed sections on read-only pages are inflated without writing to them")
    func readOnlyPages() throws {
        var elf = ELFBuilder.library()
        let contents = elf.compressed(zlibStream(Self.info), type: 1, size: UInt64(Self.info.count))
        elf.sections.append(.init(".debug_info", flags: 0x800, contents: contents))
        let pages = try ReadOnlyPages(elf.bytes())
        let file = try #require(try DebugFile.slices(of: pages.bytes, name: "Shop").files.first)
        #expect(array(file.dwarfSections?[.info]) == Self.info)
    }
}
