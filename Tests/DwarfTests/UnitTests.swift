import ByteReading
import CallStacks
import Testing

@testable import Dwarf

@Suite("Units")
struct UnitTests {
    private func function(_ name: String, at start: UInt64 = 0x1000) -> Die {
        .function(name, DieAttribute.code(start..<start + 0x10))
    }

    @Test(
        "all versions and both formats are read", arguments: [UInt16(2), 3, 4, 5], [false, true])
    func versions(version: UInt16, is64Bit: Bool) throws {
        var builder = DieBuilder()
        builder.add(.unit([], [function("f")]), version: version, is64Bit: is64Bit)
        builder.add(.unit([], [function("g", at: 0x2000)]), version: version, is64Bit: is64Bit)
        let (records, summary) = try read(builder.sections())
        #expect(records.functionNames == ["f", "g"])
        #expect(summary.versions == [version])
        #expect(summary.unitsRead == 2 && summary.failures == [])
    }

    @Test("missing sections are named")
    func missingSections() {
        let empty = DwarfSections(isBigEndian: false, addressSize: 8)
        #expect(throws: DwarfError(.missingSection(".debug_info"))) { try read(empty) }
        var alone = empty
        alone[.info] = FileBytes([0, 0])
        #expect(throws: DwarfError(.missingSection(".debug_abbrev"))) { try read(alone) }
    }

    @Test("an unreadable unit does not affect those around it")
    func badUnits() throws {
        var builder = DieBuilder()
        builder.add(.unit([], [function("first")]))
        let bad = builder.info.count
        builder.add(.unit([], [function("version 6")]), version: 6)
        builder.add(.unit([], [function("of three bytes")]), addressSize: 3)
        builder.add(.unit([], [function("of no kind")]), version: 5, kind: 9)
        builder.add(.unit([], [function("last", at: 0x2000)]))
        let (records, summary) = try read(builder.sections())
        #expect(records.functionNames == ["first", "last"])
        #expect(
            summary.failures.map(\.reason) == [
                .unitVersion(6), .addressSize(3), .malformed("unit type 9 is unknown"),
            ])
        try #require(!summary.failures.isEmpty)
        #expect(summary.failures[0].unit == UInt64(bad))
        #expect(
            summary.failures[0].description
                == "unit at .debug_info+0x\(String(bad, radix: 16)): unsupported DWARF "
                + "version 6 (supported: 2 to 5)")
    }

    @Test("a unit that leaves its section ends the list, padding does not")
    func lengths() throws {
        var builder = DieBuilder()
        builder.add(.unit([], [function("f")]))
        let end = UInt64(builder.info.count)
        let sections = builder.sections()
        func read(info tail: [UInt8]) throws -> DwarfSummary {
            var changed = sections
            changed[.info] = FileBytes(builder.info + tail)
            return try DwarfTests.read(changed).summary
        }
        #expect(try read(info: [UInt8](repeating: 0, count: 13)).failures == [])
        for tail in [little(UInt32(100)), little(UInt32(0xffff_fff3)), little(UInt32.max)] {
            let summary = try read(info: tail + [4, 0])
            #expect(summary.unitsRead == 1)
            #expect(summary.failures.map(\.unit) == [end])
        }
    }

    @Test("one unit more than the limit is refused")
    func unitsLimit() throws {
        var builder = DieBuilder()
        for _ in 0..<3 { builder.add(.unit([], [])) }
        let info = FileBytes(builder.info)
        #expect(try UnitScan(info, bigEndian: false, limit: 3).units.count == 3)
        #expect(throws: DwarfError(.tooManyUnits(limit: 2))) {
            try UnitScan(info, bigEndian: false, limit: 2)
        }
    }

    @Test("type units and partial units contain no functions")
    func otherUnits() throws {
        var builder = DieBuilder()
        builder.add(Die(0x41, [], [function("in a type unit")]), version: 5, kind: 2)
        builder.add(Die(0x3c, [], [function("in a partial unit")]))
        builder.add(.unit([], [function("f")]), version: 5)
        let (records, summary) = try read(builder.sections())
        #expect(records.functionNames == ["f"])
        #expect(summary.failures == [])
    }

    @Test("references to modules are not split debug information")
    func moduleReferences() throws {
        var builder = DieBuilder()
        let id = DieAttribute(0x2131, 0x07, little(UInt64(7)))
        for version in [UInt16(4), 5] {
            builder.add(
                .unit([.text(0x03, "Swift"), .text(0x2130, "Swift.swiftmodule"), id], []),
                version: version)
        }
        builder.add(.unit([], [function("f")]), version: 5)
        let (records, summary) = try read(builder.sections())
        #expect(records.functionNames == ["f"])
        #expect(summary.failures == [] && summary.warnings == [])
        #expect(summary.unitsRead == 3)
    }

    @Test("missing split debug information is reported, and its lines are read")
    func splitUnits() throws {
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x1010, line: 4)
        let name = DieAttribute.text(0x76, "a.dwo")
        let root = Die(0x4a, [name, .lines(at: 0)] + DieAttribute.code(0x1000..<0x1010))
        var builder = DieBuilder()
        builder.add(root, version: 5, kind: 4)
        let (records, summary) = try read(builder.sections([.line: lines.bytes]))
        #expect(summary.warnings == [.splitDwarfMissing])
        #expect(records.looseRows.map(records.text) == [["1000 |a.c:4:0", "1010 none"]])
    }

    @Test("an indirect form may be any but an implicit constant or another indirect form")
    func indirectForms() throws {
        func unit(_ form: UInt64, _ value: [UInt8]) -> Die {
            let name = DieAttribute(0x03, 0x16, uleb(form) + value)
            return .unit([], [Die(0x2e, [name] + DieAttribute.code(0x1000..<0x1010))])
        }
        var builder = DieBuilder()
        builder.add(unit(0x21, [1]))
        builder.add(unit(0x16, [0x16, 0x08, 0x78, 0]))
        builder.add(unit(0x08, [0x78, 0]))
        let (records, summary) = try read(builder.sections())
        #expect(records.functionNames == ["x"])
        #expect(summary.unitsFailed == 2)
    }

    @Test("every form is skipped, in entries that are read and in others")
    func forms() throws {
        let forms: [(UInt64, [UInt8])] = [
            (0x01, little(UInt64(1))), (0x03, [2, 0, 1, 1]), (0x04, [1, 0, 0, 0, 1]),
            (0x05, [1, 1]),
            (0x06, [1, 1, 1, 1]), (0x07, little(UInt64(1))), (0x08, [1, 0]), (0x09, [1, 1]),
            (0x0a, [1, 1]), (0x0b, [1]), (0x0c, [1]), (0x0d, [1]), (0x0e, [0, 0, 0, 0]),
            (0x0f, [0x81, 1]), (0x10, [11, 0, 0, 0]), (0x11, [11]), (0x12, [11, 0]),
            (0x13, [11, 0, 0, 0]), (0x14, little(UInt64(11))), (0x15, [11]), (0x16, [0x0b, 1]),
            (0x17, [0, 0, 0, 0]), (0x18, [1, 1]), (0x19, []), (0x1a, [0]), (0x1b, [0]),
            (0x1d, [0, 0, 0, 0]), (0x1e, [UInt8](repeating: 1, count: 16)), (0x1f, [0, 0, 0, 0]),
            (0x20, little(UInt64(1))), (0x22, [0]), (0x23, [0]), (0x25, [0]), (0x26, [0, 0]),
            (0x28, [0, 0, 0, 0]), (0x29, [0]), (0x2a, [0, 0]),
            (0x2c, [0, 0, 0, 0]), (0x1f01, [0]), (0x1f02, [0]), (0x1f20, [0, 0, 0, 0]),
            (0x1f21, [0, 0, 0, 0]),
        ]
        for (form, value) in forms {
            let attribute = DieAttribute(0x2345, form, value)
            let root = Die.unit(
                [],
                [
                    Die(0x34, [attribute]), function("f"),
                    .function("g", [attribute] + DieAttribute.code(0x2000..<0x2010)),
                ])
            let (records, summary) = try read(root, version: 5, [.str: [0], .lineStr: [0]])
            #expect(records.functionNames == ["f", "g"], "form \(String(form, radix: 16))")
            #expect(summary.failures == [], "form \(String(form, radix: 16))")
        }
    }

    @Test(
        "forms that libdwarf misreads cost the unit and are named, and are read without it",
        arguments: [UInt64(0x27), 0x2b])
    func misreadForms(form: UInt64) throws {
        let root = Die.unit(
            [], [Die(0x34, [DieAttribute(0x2345, form, [0, 0, 0])]), function("f")])
        var builder = DieBuilder()
        builder.add(root, version: 5)
        #expect(
            try read(builder.sections(), usesLibDwarf: false).records.functionNames == ["f"])
        let (records, summary) = try read(builder.sections(), usesLibDwarf: true)
        #expect(records.functionNames == [])
        let text = "unsupported form 0x\(String(form, radix: 16))"
        #expect(summary.failures.first?.description.hasSuffix(text) == true)
    }

    @Test("a code without abbreviation and a table outside of the section fail the unit")
    func badAbbreviations() throws {
        var builder = DieBuilder()
        builder.add(.unit([], [function("f")]))
        builder.add(.unit([], [function("g")]))
        var sections = builder.sections()
        var info = builder.info
        info[6] = 0xf0  // the offset of the first unit's table
        sections[.info] = FileBytes(info)
        let (records, summary) = try read(sections)
        #expect(records.functionNames == ["g"])
        #expect(summary.failures.map(\.unit) == [0])
        sections[.abbrev] = FileBytes([1, 0x11, 1, 0, 0, 0])
        #expect(try read(sections).summary.unitsFailed == 2)
    }

    @Test("units that share a long text exceed the work budget", arguments: [UInt64(0x25), 0x1b])
    func sharedTexts(attribute: UInt64) throws {
        var builder = DieBuilder()
        let root = Die(0x11, [DieAttribute(attribute, 0x0e, little(UInt32(0)))])
        for _ in 0..<400 { builder.add(root) }
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 60_000) + [0]
        let (_, summary) = try read(builder.sections([.str: text]))
        #expect(summary.warnings == [.workBudget])
        #expect(summary.unitsRead > 0 && summary.unitsRead < 400)
    }

    @Test("unreadable headers are counted, and the first errors are kept")
    func unreadableHeaders() throws {
        var builder = DieBuilder()
        let count = DwarfSummary.failuresLimit + 1
        for _ in 0..<count { builder.add(.unit([], []), version: 6) }
        let scan = try UnitScan(FileBytes(builder.info), bigEndian: false)
        #expect(scan.failures.count == DwarfSummary.failuresLimit)
        #expect(scan.failureCount == count)
        #expect(try read(builder.sections()).summary.unitsFailed == count)
        #expect(throws: DwarfError(.tooManyUnits(limit: count - 1))) {
            try UnitScan(FileBytes(builder.info), bigEndian: false, limit: count - 1)
        }
    }

    @Test("failures are counted, and the first are kept")
    func failuresLimit() {
        var summary = DwarfSummary()
        for unit in 0...UInt64(DwarfSummary.failuresLimit) {
            summary.add(failure: DwarfError(.unitVersion(9), unit: unit))
        }
        #expect(summary.unitsFailed == DwarfSummary.failuresLimit + 1)
        #expect(summary.failures.count == DwarfSummary.failuresLimit)
    }
}
