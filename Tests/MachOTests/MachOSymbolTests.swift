import ByteReading
import CallStacks
import MachO
import TestSupport
import Testing

@Suite("Mach-O symbols and function starts")
struct MachOSymbolTests {
    private func symbols(_ file: MachOBuilder) throws -> (lines: [String], damaged: Int) {
        let symbols = try #require(try MachOImage(FileBytes(file.bytes())).symbols())
        var lines: [String] = []
        let damaged = try symbols.forEach { symbol in
            let name = symbols.names.string(of: symbol.name)
            let address = String(symbol.address.rawValue, radix: 16)
            lines.append("\(address) \(name) \(symbol.rank)")
        }
        return (lines, damaged)
    }

    @Test(
        "symbols in sections are kept with their rank, and lose one underscore",
        arguments: [true, false])
    func kept(is64Bit: Bool) throws {
        var file = MachOBuilder.library()
        file.is64Bit = is64Bit
        file.symbols = [
            .init("_main", at: 0x1000), .init("__ZN3foo3barEv", at: 0x1010, type: 0x0e),
            .init("-[Cart total]", at: 0x1020, type: 0x1e), .init("_", at: 0x1028),
            .init("_weak", at: 0x1030, description: 0x80),
        ]
        #expect(
            try symbols(file).lines == [
                "1000 main global", "1010 _ZN3foo3barEv local", "1020 -[Cart total] local",
                "1030 weak weak",
            ])
    }

    @Test("local names reserved for assemblers have a rank of their own")
    func assemblerLocals() throws {
        var file = MachOBuilder.library()
        file.symbols = [
            .init("ltmp9", at: 0x1000, type: 0x0e), .init("l_9", at: 0x1000, type: 0x0e),
            .init("L9", at: 0x1000, type: 0x0e), .init("_L9", at: 0x1000, type: 0x0e),
            .init("_l_9", at: 0x1000, type: 0x0e), .init("ltm", at: 0x1000, type: 0x0e),
            .init("Lasm", at: 0x1000),
        ]
        #expect(
            try symbols(file).lines == [
                "1000 ltmp9 assemblerLocal", "1000 l_9 assemblerLocal", "1000 L9 assemblerLocal",
                "1000 L9 local", "1000 l_9 local", "1000 ltm local", "1000 Lasm global",
            ])
    }

    @Test("stabs, undefined, absolute and nameless symbols are skipped")
    func skipped() throws {
        var file = MachOBuilder.library()
        file.symbols = [
            .init("_function", at: 0x1000, type: 0x24), .init("/a/b.o", at: 0, type: 0x66),
            .init("_printf", at: 0, type: 0x01), .init("_absolute", at: 0x1000, type: 0x03),
            .init("", at: 0x1000), .init("_indirect", at: 0x1000, type: 0x0b),
        ]
        #expect(try symbols(file).lines == [])
    }

    @Test("a symbol whose name is outside the string table is skipped and counted")
    func damagedNames() throws {
        var file = MachOBuilder.library()
        file.symbols = [.init("_one", at: 0x1000), .init("_two", at: 0x1010)]
        var bytes = file.bytes()
        let firstEntry = bytes.count - 1 - 10 - 2 * 16
        bytes.replaceSubrange(firstEntry..<firstEntry + 4, with: [0xff, 0xff, 0xff, 0x7f])
        let symbols = try #require(try MachOImage(FileBytes(bytes)).symbols())
        var names: [String] = []
        let damaged = try symbols.forEach { names.append(symbols.names.string(of: $0.name)) }
        #expect(names == ["two"])
        #expect(damaged == 1)
    }

    @Test("the Thumb bit is cleared on 32-bit ARM and nowhere else")
    func thumb() throws {
        var file = MachOBuilder.library(base: 0)
        file.is64Bit = false
        file.symbols = [.init("_thumb", at: 0x1001, description: 8)]
        file.functionStarts = [0x81, 0x20, 0x10]
        #expect(try symbols(file).lines == ["1001 thumb global"])
        #expect(try starts(file) == [0x1001, 0x1011])
        file.cpuType = 12
        #expect(try symbols(file).lines == ["1000 thumb global"])
        #expect(try starts(file) == [0x1000, 0x1010])
    }

    private func starts(_ file: MachOBuilder) throws -> [UInt64] {
        var starts: [UInt64] = []
        try MachOImage(FileBytes(file.bytes())).forEachFunctionStart { starts.append($0.rawValue) }
        return starts
    }

    @Test("function starts count from __TEXT and end at 0 or at the end")
    func functionStarts() throws {
        var file = MachOBuilder.library(base: 0x1_0000_0000)
        file.functionStarts = [0x80, 0x20, 0x04, 0, 0x04]
        #expect(try starts(file) == [0x1_0000_1000, 0x1_0000_1004])
        file.functionStarts = [0x80, 0x20, 0x04]
        #expect(try starts(file) == [0x1_0000_1000, 0x1_0000_1004])
        file.functionStarts = nil
        #expect(try starts(file) == [])
    }

    @Test("function starts that are truncated or exceed the address space are errors")
    func damagedStarts() throws {
        let tooFar = [UInt8](repeating: 0xff, count: 9) + [0x01]
        for payload in [[0x80], tooFar] as [[UInt8]] {
            var file = MachOBuilder.library()
            file.functionStarts = payload
            #expect(throws: ReadingError.self) { try starts(file) }
        }
    }

    @Test("a debug map is detected from its N_OSO entries")
    func debugMap() throws {
        var file = MachOBuilder.library()
        file.symbols = [.init("_main", at: 0x1000)]
        #expect(try MachOImage(FileBytes(file.bytes())).symbols()?.namesObjectFiles() == false)
        file.symbols.append(.init("/a/b.o", at: 0, type: 0x66))
        #expect(try MachOImage(FileBytes(file.bytes())).symbols()?.namesObjectFiles() == true)
    }
}
