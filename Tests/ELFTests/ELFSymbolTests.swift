import ByteReading
import CallStacks
import ELF
import TestSupport
import Testing

@Suite("ELF symbols")
struct ELFSymbolTests {
    private func lines(_ file: ELFBuilder) throws -> [String] {
        let symbols = try #require(try ELFImage(FileBytes(file.bytes())).symbols())
        var lines: [String] = []
        let damagedCount = try symbols.forEach { symbol in
            let name = symbols.names.string(of: symbol.name)
            let address = String(symbol.address.rawValue, radix: 16)
            lines.append("\(address)+\(symbol.size) \(name) \(symbol.rank)")
        }
        #expect(damagedCount == 0)
        return lines
    }

    @Test(
        "functions, indirect functions and labels are kept with size and rank",
        arguments: [true, false], [true, false])
    func kept(is64Bit: Bool, bigEndian: Bool) throws {
        var file = ELFBuilder()
        file.is64Bit = is64Bit
        file.bigEndian = bigEndian
        file.add([
            .init("main", at: 0x1000, size: 16), .init("local", at: 0x1010, size: 8, binding: 0),
            .init("weak", at: 0x1020, binding: 2), .init("memcpy", at: 0x1030, type: 10),
            .init("label", at: 0x1040, type: 0), .init("unique", at: 0x1050, binding: 10),
        ])
        #expect(
            try lines(file) == [
                "1000+16 main global", "1010+8 local local", "1020+0 weak weak",
                "1030+0 memcpy global", "1040+0 label label", "1050+0 unique global",
            ])
    }

    @Test("undefined, absolute, data, file and nameless symbols are skipped")
    func skipped() throws {
        var file = ELFBuilder()
        file.add([
            .init("undefined", at: 0, section: 0), .init("absolute", at: 9, section: 0xfff1),
            .init("data", at: 0x2000, type: 1), .init("a.c", at: 0, type: 4, section: 0xfff1),
            .init(".text", at: 0x1000, type: 3), .init("", at: 0x1000),
        ])
        #expect(try lines(file) == [])
    }

    @Test("mapping symbols are skipped, and names that only start like one are not")
    func mappingSymbols() throws {
        var file = ELFBuilder()
        let names = ["$a", "$d", "$t", "$x", "$d.1", "$x.foo", "$s4Shop4CartV", "$xy", "$", "$b"]
        file.add(names.map { .init($0, at: 0x1000, binding: 0, type: 0) })
        #expect(
            try lines(file).map { $0.split(separator: " ").dropFirst().first } == [
                "$s4Shop4CartV", "$xy", "$", "$b",
            ])
    }

    @Test("mapping symbols of RISC-V may name the instruction set; elsewhere this is a name")
    func mappingSymbolsOfRISCV() throws {
        var file = ELFBuilder()
        let names = ["$x", "$xrv64i2p1_m2p0", "$xrv32i2p1.7", "$d", "$x.1", "$xr", "$xray"]
        file.add(names.map { .init($0, at: 0x1000, binding: 0, type: 0) })
        func kept() throws -> [Substring] {
            try lines(file).map { $0.split(separator: " ")[1] }
        }
        #expect(try kept() == ["$xrv64i2p1_m2p0", "$xrv32i2p1.7", "$xr", "$xray"])
        file.machine = 243
        #expect(try kept() == ["$xr", "$xray"])
    }

    @Test("the version of a name is cut in .symtab, and nothing else after an @")
    func versions() throws {
        var file = ELFBuilder()
        let names = [
            "new@@SHOP_2.0", "old@SHOP_1.0", "_ZN4shop4cartEi@@libshop.so.2", "a@b@c", "@V1",
            "end@", "end@@", "kfun:let@0:0(kotlin.Any)", "_total@015089", "f@ V",
        ]
        file.add(names.map { .init($0, at: 0x1000, size: 4) }, type: 11)
        func shown() throws -> [String] {
            try lines(file).map {
                String($0.dropFirst("1000+4 ".count).dropLast(" global".count))
            }
        }
        #expect(try shown() == names)
        file.add(names.map { .init($0, at: 0x1000, size: 4) })
        #expect(try shown() == ["new", "old", "_ZN4shop4cartEi"] + names[3...])
    }

    @Test("the Thumb bit is cleared on 32-bit ARM and nowhere else")
    func thumb() throws {
        var file = ELFBuilder()
        file.is64Bit = false
        file.add([.init("thumb", at: 0x1001)])
        #expect(try lines(file) == ["1001+0 thumb global"])
        file.machine = 40
        #expect(try lines(file) == ["1000+0 thumb global"])
    }

    @Test(".symtab is preferred to .dynsym, which is better than nothing")
    func selection() throws {
        var file = ELFBuilder()
        #expect(try ELFImage(FileBytes(file.bytes())).symbols() == nil)
        file.add([.init("exported", at: 0x1000)], type: 11)
        #expect(try lines(file) == ["1000+0 exported global"])
        #expect(try ELFImage(FileBytes(file.bytes())).symbols()?.isFull == false)
        file.add([.init("everything", at: 0x1000)])
        #expect(try lines(file) == ["1000+0 everything global"])
        #expect(try ELFImage(FileBytes(file.bytes())).symbols()?.isFull == true)
    }

    @Test("a symbol whose name is outside the string table is skipped and counted")
    func damagedNames() throws {
        var file = ELFBuilder()
        file.add([.init("one", at: 0x1000), .init("two", at: 0x1010)])
        let last = file.sections.count - 1
        file.sections[last].contents = Array("\0one\0".utf8)
        file.sections[last].size = 5
        let symbols = try #require(try ELFImage(FileBytes(file.bytes())).symbols())
        var names: [String] = []
        let damagedCount = try symbols.forEach { names.append(symbols.names.string(of: $0.name)) }
        #expect(names == ["one"])
        #expect(damagedCount == 1)
    }
}
