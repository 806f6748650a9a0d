import ByteReading
import CallStacks
import DebugFiles
import Foundation
import TestSupport
import Testing

@Suite("Warnings about debug files")
struct DebugFileWarningTests {
    private func codes(_ bytes: [UInt8]) throws -> [DebugFileWarning.Code] {
        try DebugFileTests.file(bytes).summary().warnings.map(\.code)
    }

    private func text(_ code: DebugFileWarning.Code, _ bytes: [UInt8]) throws -> String? {
        try DebugFileTests.file(bytes).summary().warnings.first { $0.code == code }?.text
    }

    @Test("codes have their stable spellings")
    func codes() {
        #expect(
            DebugFileWarning.Code.allCases.map(\.rawValue) == [
                "no-debug-info", "no-identity", "identity-mismatch", "hidden-symbols", "oso-only",
                "symbols-file-missing", "split-dwarf-missing", "dwz-alternate-missing", "truncated",
                "malformed",
            ])
    }

    @Test("a file without an identity is reported with the linker option that adds one")
    func noIdentity() throws {
        var machO = MachOBuilder.library()
        machO.uuid = nil
        #expect(try text(.noIdentity, machO.bytes())?.contains("-no_uuid") == true)
        let elf = ELFBuilder.library(buildID: nil)
        #expect(try text(.noIdentity, elf.bytes())?.contains("-Wl,--build-id") == true)
        let long = ELFBuilder.library(buildID: [UInt8](repeating: 1, count: 33))
        #expect(try text(.noIdentity, long.bytes())?.contains("33 bytes") == true)
    }

    @Test("object files have no identity, even if they contain one")
    func objects() throws {
        var machO = MachOBuilder.library()
        machO.fileType = 1
        var elf = ELFBuilder.library()
        elf.type = 1
        for bytes in [machO.bytes(), elf.bytes()] {
            let file = try DebugFileTests.file(bytes)
            #expect(file.id == nil)
            #expect(file.warnings.map(\.code).contains(.noIdentity))
        }
    }

    @Test("a dSYM without the end of its last section is truncated, although nothing reads it")
    func truncatedBundle() throws {
        let folder = projectFolder.appendingPathComponent(
            "Symbols/orchard-1.4.0-arm64-release-dwarf4/Orchard.app.dSYM")
        let path = folder.appendingPathComponent("Contents/Resources/DWARF/Orchard")
        let whole = Array(try Data(contentsOf: path))
        #expect(try codes(whole) == [])
        #expect(try codes(Array(whole.dropLast(16))) == [.truncated])
        let summary = try DebugFileTests.file(Array(whole.dropLast(16))).summary()
        #expect(summary.quality == .lines)
        for count in stride(from: 4_000, to: whole.count, by: 3_000) {
            let cut = try DebugFileTests.file(Array(whole.prefix(count))).summary()
            #expect(cut.warnings.map(\.code) == [.truncated], "\(count)")
        }
    }

    @Test("a file without debug information has its symbols and a warning")
    func noDebugInformation() throws {
        var machO = MachOBuilder.library()
        machO.symbols = [.init("_main", at: 0x1_0000_1000)]
        #expect(try codes(machO.bytes()) == [.noDebugInfo])
        #expect(try codes(ELFBuilder.library().bytes()) == [.noDebugInfo])
    }

    @Test("a debug map without debug information asks for dsymutil, one with it does not")
    func objectFilesOnly() throws {
        var machO = MachOBuilder.library()
        machO.symbols = [.init("/a/b.o", at: 0, type: 0x66)]
        #expect(try codes(machO.bytes()) == [.noDebugInfo, .objectFilesOnly])
        machO.segments.append(.init("__DWARF", at: 0, [.init("__debug_info", contents: [1])]))
        #expect(try !codes(machO.bytes()).contains(.objectFilesOnly))
    }

    @Test(
        "placeholder names of bitcode builds are found",
        arguments: ["__hidden#12_", "___hidden#0_"])
    func hiddenSymbols(name: String) throws {
        var machO = MachOBuilder.library()
        machO.symbols = [.init(name, at: 0x1_0000_1000)]
        #expect(try codes(machO.bytes()) == [.noDebugInfo, .hiddenSymbols])
        machO.symbols = [
            .init("_hidden", at: 0x1_0000_1000), .init("_a#hidden#", at: 0x1_0000_1000),
        ]
        #expect(try codes(machO.bytes()) == [.noDebugInfo])
    }

    @Test("hidden names are counted, those of debug information too, with a remedy")
    func hiddenNames() throws {
        var machO = MachOBuilder.library()
        machO.symbols = [.init("__hidden#7_", at: 0x1_0000_1000), .init("_a", at: 0x1_0000_1010)]
        #expect(
            try text(.hiddenSymbols, machO.bytes())?.hasPrefix(
                "1 name is hidden by a bitcode build: ")
                == true)
        machO.segments.append(
            .init(
                "__DWARF", at: 0,
                [.init("__debug_str", contents: Array("\0__hidden#8_\0main\0__hidden#9_\0".utf8))]))
        let text = try #require(try text(.hiddenSymbols, machO.bytes()))
        #expect(text.hasPrefix("3 names are hidden by a bitcode build: download its dSYMs with "))
        #expect(text.hasSuffix("or pass the BCSymbolMaps folder of its archive"))
    }

    @Test("a dSYM without debug information does not suggest its dSYM")
    func emptyBundleFile() throws {
        var dSYM = MachOBuilder.library()
        dSYM.fileType = 10
        dSYM.segments.append(.init("__DWARF", at: 0, [.init("__debug_info", size: 64)]))
        let warning = try #require(try text(.noDebugInfo, dSYM.bytes()))
        #expect(warning.contains("DEBUG_INFORMATION_FORMAT"))
        #expect(!warning.contains("made beside it"))
    }

    @Test("a supplementary file of dwz is reported with its build ID")
    func dwz() throws {
        var elf = ELFBuilder.library()
        elf.sections.append(.init(".debug_info", contents: [1]))
        elf.sections.append(
            .init(".gnu_debugaltlink", contents: Array(".dwz/shop\0".utf8) + [0xaa, 0xbb]))
        #expect(try text(.dwzAlternateMissing, elf.bytes()) == "names are in '.dwz/shop' aabb")
    }

    @Test("a section past the end is truncated, one with a wrong size is malformed, both are named")
    func damagedSections() throws {
        var elf = ELFBuilder.library()
        elf.sections.append(.init(".debug_info", contents: [1]))
        elf.sections.append(.init(".debug_str", size: 1 << 40, contents: [1]))
        #expect(try codes(elf.bytes()).contains(.truncated))
        let lie = elf.compressed([1, 2, 3], type: 1, size: 1 << 40)
        elf.sections[elf.sections.count - 1] = .init(".debug_str", flags: 0x800, contents: lie)
        #expect(try text(.malformed, elf.bytes())?.hasPrefix(".debug_str+0x0: declares") == true)
        let unknown = elf.compressed([1, 2, 3], type: 3, size: 3)
        elf.sections[elf.sections.count - 1] = .init(".debug_str", flags: 0x800, contents: unknown)
        #expect(try text(.malformed, elf.bytes())?.contains("compression type 3") == true)
    }

    @Test("a symbol table outside the file affects only the symbols")
    func damagedSymbols() throws {
        var machO = MachOBuilder.library()
        machO.functionStarts = [0x80, 0x20]
        machO.commands = [machO.command(0x2, [0x7fff_0000, 1, 0, 0])]
        let summary = try DebugFileTests.file(machO.bytes()).summary()
        #expect(summary.warnings.map(\.code) == [.noDebugInfo, .truncated])
        #expect(summary.functionStartCount == 1)
    }
}
