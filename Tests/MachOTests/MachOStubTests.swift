import ByteReading
import CallStacks
import TestSupport
import Testing

@testable import MachO

@Suite("Stubs of Mach-O files")
struct MachOStubTests {
    private static let base: UInt64 = 0x1_0000_0000

    /// A program with two stubs of 12 bytes, at 0x2000 from its base, whose symbols are the second
    /// and third entries of the indirect symbol table.
    private func program(
        _ change: (inout MachOBuilder) -> Void = { _ in }, indirect: [UInt32] = [7, 1, 0],
        count: UInt32? = nil
    ) throws -> MachOImage {
        var file = MachOBuilder.library(base: Self.base)
        var stubs = MachOBuilder.Section(
            "__stubs", at: Self.base + 0x2000, size: 24, flags: 0x8000_0408)
        stubs.reserved = (1, 12)
        file.segments[0].sections.append(stubs)
        // Both symbols are undefined.
        file.symbols = [
            .init("_swift_release", at: 0, type: 1, section: 0),
            .init("_press_cider", at: 0, type: 1, section: 0),
        ]
        change(&file)
        func bytes(tableAt place: UInt32) -> [UInt8] {
            var file = file
            let parts = [UInt32](repeating: 0, count: 12)
            let table = [place, count ?? UInt32(indirect.count)]
            let rest = [UInt32](repeating: 0, count: 4)
            file.commands.append(file.command(0xb, parts + table + rest))
            return file.bytes()
        }
        var table = ByteWriter(bigEndian: file.bigEndian)
        for index in indirect { table.add(index) }
        let length = UInt32(bytes(tableAt: 0).count)
        return try MachOImage(FileBytes(bytes(tableAt: length) + table.bytes))
    }

    private func stub(_ image: MachOImage, at offset: UInt64) throws -> MachOStub? {
        try image.stub(at: LinkAddress(Self.base + offset))
    }

    @Test("a stub has the name of its symbol, from its first byte to its last")
    func names() throws {
        let image = try program()
        let first = MachOStub(name: "press_cider", address: LinkAddress(Self.base + 0x2000))
        let second = MachOStub(name: "swift_release", address: LinkAddress(Self.base + 0x200c))
        #expect(try stub(image, at: 0x2000) == first)
        #expect(try stub(image, at: 0x200b) == first)
        #expect(try stub(image, at: 0x200c) == second)
        #expect(try stub(image, at: 0x2017) == second)
    }

    @Test("an address outside the stubs, or in a file without any, has no stub")
    func elsewhere() throws {
        let image = try program()
        for offset in [0, 0x1000, 0x1fff, 0x2018] as [UInt64] {
            #expect(try stub(image, at: offset) == nil)
        }
        #expect(try image.stub(at: LinkAddress(.max)) == nil)
        let library = try MachOImage(FileBytes(MachOBuilder.library().bytes()))
        #expect(try stub(library, at: 0x1000) == nil)
    }

    @Test("an entry without a symbol has no stub")
    func marks() throws {
        for mark in [0x8000_0000, 0x4000_0000, 0xc000_0000] as [UInt32] {
            #expect(try stub(program(indirect: [7, mark, 0]), at: 0x2000) == nil)
        }
        #expect(try stub(program(indirect: [7]), at: 0x2000) == nil)
    }

    @Test("corrupt tables are an error, or have no stub")
    func damaged() throws {
        let zeroSize = try program { $0.segments[0].sections[1].reserved = (1, 0) }
        #expect(try stub(zeroSize, at: 0x2000) == nil)
        let farIndex = try program { $0.segments[0].sections[1].reserved = (.max, 1) }
        #expect(try stub(farIndex, at: 0x2001) == nil)
        let noSymbol = try program(indirect: [7, 0x3fff_ffff, 0])
        #expect(throws: ReadingError.self) { try stub(noSymbol, at: 0x2000) }
        let longTable = try program(
            { $0.segments[0].sections[1].reserved = (0x10_0000, 12) }, count: .max)
        #expect(throws: ReadingError.self) { try stub(longTable, at: 0x2000) }
    }

    @Test("both widths and byte orders are read", arguments: [true, false], [true, false])
    func forms(is64Bit: Bool, bigEndian: Bool) throws {
        let image = try program {
            $0.is64Bit = is64Bit
            $0.bigEndian = bigEndian
            // Addresses that fit in 32 bits.
            if !is64Bit { $0.segments[0].sections[1].address = 0x2000 }
            if !is64Bit { $0.segments[0].address = 0 }
        }
        let base = is64Bit ? Self.base : 0
        #expect(try image.stub(at: LinkAddress(base + 0x2000))?.name == "press_cider")
    }
}
