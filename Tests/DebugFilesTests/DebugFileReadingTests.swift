import ByteReading
import CallStacks
@testable import DebugFiles
import TestSupport
import Testing

@Suite("Reading debug files")
struct DebugFileReadingTests {
    private func read(_ bytes: [UInt8]) throws -> (lines: [String], summary: DebugFileSummary) {
        var sink = RecordingSink()
        let summary = try DebugFileTests.file(bytes).read(into: &sink)
        return (sink.lines, summary)
    }

    @Test("symbols and function starts in the code of a Mach-O file are passed on by offset")
    func machO() throws {
        var file = MachOBuilder.library()
        file.symbols = [
            .init("_main", at: 0x1_0000_1000), .init("_local", at: 0x1_0000_1010, type: 0x0e),
            .init("_data", at: 0x1_0000_2000), .init("_end", at: 0x1_0000_1100),
            .init("__mh_execute_header", at: 0x1_0000_0000), .init("_below", at: 0x1000),
        ]
        file.functionStarts = [0x80, 0x20, 0x40, 0x80, 0x20]
        let (lines, summary) = try read(file.bytes())
        #expect(
            lines == [
                "symbol 1000..? main global", "symbol 1010..? local local", "start 1000",
                "start 1040",
            ])
        #expect(summary.symbolCount == 2)
        #expect(summary.functionStartCount == 2)
        #expect(summary.quality == .symbols)
    }

    @Test("sizes of ELF symbols end at the end of their section")
    func elf() throws {
        var file = ELFBuilder.library(base: 0x40_0000)
        file.add([
            .init("main", at: 0x40_1000, size: 16), .init("long", at: 0x40_10f0, size: .max),
            .init("label", at: 0x40_1020, type: 0), .init("data", at: 0x40_2000),
        ])
        let (lines, summary) = try read(file.bytes())
        #expect(
            lines == [
                "symbol 1000..1010 main global", "symbol 10f0..1100 long global",
                "symbol 1020..? label label",
            ])
        #expect(summary.quality == .symbols)
    }

    @Test("damaged debug information is a warning and does not affect symbols")
    func damagedDebugInformation() throws {
        var file = ELFBuilder.library()
        file.add([.init("main", at: 0x1000, size: 16)])
        file.sections.append(.init(".debug_info", contents: [0xf0, 0xff, 0xff, 0xff]))
        let (lines, summary) = try read(file.bytes())
        #expect(lines == ["symbol 1000..1010 main global"])
        #expect(summary.quality == .symbols)
    }

    @Test("symbols that were read before an error are kept and counted")
    func symbolsBeforeAnError() throws {
        var file = ELFBuilder.library()
        let name = String(repeating: "n", count: 1 << 16)
        file.add(Array(repeating: .init("", at: 0x1000, size: 1), count: 200))
        let (entries, names) = (file.sections.count - 2, file.sections.count - 1)
        file.sections[names] = .init(".strtab", type: 3, contents: [0] + Array(name.utf8) + [0])
        for symbol in 1...200 { file.sections[entries].contents?[symbol * 24] = 1 }
        let (lines, summary) = try read(file.bytes())
        #expect(lines.count == 16)
        #expect(summary.symbolCount == 16)
        #expect(summary.warnings.map(\.code) == [.noDebugInfo, .malformed])
    }

    @Test("exports alone rank below a full symbol table, and above no symbols")
    func symbolQuality() throws {
        var machO = MachOBuilder.library()
        #expect(try read(machO.bytes()).summary.quality == .nothing)
        machO.symbols = [.init("_main", at: 0x1_0000_1000)]
        #expect(try read(machO.bytes()).summary.quality == .exportedSymbols)
        machO.fileType = 10
        #expect(try read(machO.bytes()).summary.quality == .symbols)
        var elf = ELFBuilder.library()
        elf.add([.init("main", at: 0x1000)], type: 11)
        #expect(try read(elf.bytes()).summary.quality == .exportedSymbols)
    }

    @Test("lines alone, and a skeleton of split DWARF, rank below complete debug information")
    func dwarfQuality() {
        var summary = DebugFileSummary(warnings: [])
        summary.hasLines = true
        #expect(summary.quality == .lines)
        summary.hasFunctions = true
        #expect(summary.quality == .full)
        summary.warn(DebugFileWarning(.splitDwarfMissing, ""))
        #expect(summary.quality == .lines)
        #expect(DebugFileSummary.Quality.lines.rawValue == 3)
    }

    @Test(
        "a damaged file of either format is read or is an error", arguments: 0..<50 as Range<UInt64>
    )
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var machO = MachOBuilder.library()
        machO.symbols = [.init("_main", at: 0x1_0000_1000)]
        machO.functionStarts = [0x80, 0x20]
        machO.segments.append(
            .init("__DWARF", at: 0, [.init("__zdebug_info", contents: zdebugSection([1]))]))
        var elf = ELFBuilder.library()
        elf.add([.init("main", at: 0x1000)])
        elf.sections.append(.init(".zdebug_info", contents: zdebugSection([1])))
        let fat = MachOBuilder.fat([(0x0100_000c, 0, machO.bytes()), (12, 9, machO.bytes())])
        for bytes in [machO.bytes(), elf.bytes(), fat] {
            for _ in 0..<50 {
                var damaged = bytes.prefix(Int.random(in: 1...2 * bytes.count, using: &numbers))
                let place = Int.random(in: damaged.indices, using: &numbers)
                damaged[place] ^= UInt8.random(in: 1...255, using: &numbers)
                readAll(Array(damaged))
            }
        }
    }

    /// Reads everything. The reads must end, and errors must name the file.
    private func readAll(_ bytes: [UInt8]) {
        do throws(DebugFileError) {
            var sink = RecordingSink()
            for file in try DebugFile.slices(of: FileBytes(bytes), name: "Shop").files {
                _ = file.read(into: &sink)
            }
        } catch { #expect(error.description.hasPrefix("Shop: ")) }
    }
}
