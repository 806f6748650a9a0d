import ByteReading
import CallStacks
import TestSupport
import Testing

@testable import Dwarf

/// The units that are read for some offsets.
@Suite("Excerpts of debug information")
struct ExcerptTests {
    private static func function(_ name: String, _ code: Range<UInt64>) -> Die {
        Die.function(name, DieAttribute.code(code))
    }

    /// A unit for each of 0x1000, 0x1100 and 0x1200; the third does not claim its code. The fourth
    /// has a function without code, and a line table without rows.
    private static func reader() -> DwarfReader {
        var builder = DieBuilder()
        builder.add(.unit(DieAttribute.code(0x1000..<0x1100), [function("a", 0x1000..<0x1080)]))
        builder.add(.unit(DieAttribute.code(0x1100..<0x1200), [function("b", 0x1100..<0x1180)]))
        builder.add(.unit([], [function("c", 0x1200..<0x1280)]))
        builder.add(.unit([.lines(at: 0)], [Die.function("d")]))
        return DwarfReader(
            sections: builder.sections([.line: LineAssembler().bytes]), layout: testLayout,
            architecture: .arm64)
    }

    private func names(_ reader: DwarfReader, at offsets: [UInt64]) throws -> [String]? {
        var records = RecordList()
        let summary = try reader.read(at: offsets.map { ImageOffset($0) }, into: &records)
        let names = records.functions.map { records.name($0.name) }
        #expect(summary.map(\.unitsRead) ?? names.count == names.count)
        return summary.map { _ in names }
    }

    @Test("the units that claim an offset are read, and those that claim nothing and have code")
    func claims() throws {
        let reader = Self.reader()
        #expect(try names(reader, at: [0x1010]) == ["a", "c"])
        #expect(try names(reader, at: [0x11ff, 0x1000]) == ["a", "b", "c"])
        #expect(try names(reader, at: [0x1240]) == ["c"])
    }

    @Test("a line table with rows is code, whatever the entries contain")
    func rowsWithoutClaim() throws {
        var lines = LineAssembler()
        lines.sequence(0x1300..<0x1400, line: 4)
        var builder = DieBuilder()
        builder.add(.unit([.lines(at: 0)], []))
        let reader = DwarfReader(
            sections: builder.sections([.line: lines.bytes]), layout: testLayout,
            architecture: .arm64)
        var records = RecordList()
        #expect(try reader.read(at: [ImageOffset(0x1300)], into: &records)?.unitsRead == 1)
        #expect(records.looseRows.count == 1)
    }

    @Test("a unit whose claim cannot be read is read, and fails as it does in the whole file")
    func damagedClaim() throws {
        var builder = DieBuilder()
        builder.add(
            .unit(DieAttribute.code(0x1000..<0x1100), [Self.function("a", 0x1000..<0x1080)]))
        builder.add(.unit([DieAttribute(0x55, 0x17, little(UInt32(0xffff)))], []))
        let reader = DwarfReader(
            sections: builder.sections(), layout: testLayout, architecture: .arm64)
        var records = RecordList()
        let summary = try reader.read(at: [ImageOffset(0x1010)], into: &records)
        let whole = try read(builder.sections(), usesLibDwarf: false).summary
        #expect(whole.unitsFailed == summary?.unitsFailed)
    }

    @Test("offsets that no unit describes, and entries that libdwarf reads, need the whole file")
    func refusals() throws {
        var builder = DieBuilder()
        builder.add(.unit(DieAttribute.code(0x1000..<0x1100), []))
        let sections = builder.sections()
        let reader = DwarfReader(sections: sections, layout: testLayout, architecture: .arm64)
        #expect(try names(reader, at: [0x5000]) == nil)
        let other = DwarfReader(
            sections: sections, layout: testLayout, architecture: .arm64, usesLibDwarf: true)
        #expect(try names(other, at: [0x1000]) == nil)
    }

    @Test("units of more bytes than the limit need the whole file")
    func limit() throws {
        var reader = Self.reader()
        let units = try reader.scan().units
        try #require(units.count > 2)
        reader.excerptBytesLimit = units[0].size + units[2].size
        #expect(try names(reader, at: [0x1010]) == ["a", "c"])
        reader.excerptBytesLimit -= 1
        #expect(try names(reader, at: [0x1010]) == nil)
    }
}
