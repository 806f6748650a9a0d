import ByteReading
import CallStacks
import Testing

@testable import Dwarf

@Suite("Line tables")
struct LineTableTests {
    /// The rows of a unit that has a function over all of the first code section.
    private func rows(
        _ lines: LineAssembler, unitVersion: UInt16 = 4, folder: String? = "/src"
    ) throws -> [String] {
        var attributes = [DieAttribute.lines(at: 0)]
        if let folder { attributes.append(.text(0x1b, folder)) }
        let root = Die.unit(attributes, [.function("f", DieAttribute.code(0x1000..<0x9000))])
        let (records, summary) = try read(root, version: unitVersion, [.line: lines.bytes])
        #expect(summary.failures == [])
        try #require(!records.functions.isEmpty)
        return records.text(records.functions[0].rows)
    }

    /// A program of two rows with all kinds of advance.
    private func program(version: UInt16) -> LineAssembler {
        var lines = LineAssembler(version: version)
        lines.folders = ["/src", "inc"]
        lines.files = [("a.c", 0), ("b.h", version >= 5 ? 1 : 2)]
        lines.address(0x1000)
        lines.line(by: 9)
        lines.row()
        lines.file(2)
        lines.column(7)
        lines.raw(13 + 14 * 4 + 6)  // special: 4 bytes, 1 line
        lines.raw(8)  // const_add_pc: 17 bytes
        lines.raw(9, 3, 0)  // fixed_advance_pc: 3 bytes
        lines.raw(11)  // set_epilogue_begin is not an end
        lines.row()
        lines.file(1)
        lines.row(after: 8, line: 5)
        lines.advance(4)
        lines.end()
        return lines
    }

    @Test("versions 2 to 4 count files from 1", arguments: [UInt16(2), 3, 4])
    func oldVersions(version: UInt16) throws {
        #expect(
            try rows(program(version: version)) == [
                "1000 /src|a.c:10:0", "1004 /src/inc|b.h:11:7", "1020 /src|a.c:16:7", "1024 none",
            ])
    }

    @Test("version 5 counts files from 0 and starts at file 1")
    func version5() throws {
        #expect(
            try rows(program(version: 5), unitVersion: 5) == [
                "1000 /src/inc|b.h:10:0", "1004 ?:11:7", "1020 /src/inc|b.h:16:7", "1024 none",
            ])
    }

    @Test("the table's own version decides, not the unit's")
    func mixedVersions() throws {
        #expect(
            try rows(program(version: 3), unitVersion: 5).first == "1000 /src|a.c:10:0")
    }

    @Test("an explicit file 0 of version 5 is a file")
    func fileZero() throws {
        var lines = LineAssembler(version: 5, folders: ["/src"], files: [("zero.c", 0)])
        lines.file(0)
        lines.sequence(0x1000..<0x1010, line: 3)
        #expect(try rows(lines, unitVersion: 5) == ["1000 /src|zero.c:3:0", "1010 none"])
    }

    @Test("line 0 is kept between its neighbours")
    func lineZero() throws {
        var lines = LineAssembler()
        lines.address(0x1000)
        lines.row(after: 0, line: 4)
        lines.row(after: 4, line: -5)
        lines.row(after: 4, line: 6)
        lines.advance(4)
        lines.end()
        #expect(
            try rows(lines) == [
                "1000 /src|a.c:5:0", "1004 /src|a.c:0:0", "1008 /src|a.c:6:0", "100c none",
            ])
    }

    @Test("of rows at one address the last counts, and rows that repeat are dropped")
    func repeatedRows() throws {
        var lines = LineAssembler()
        lines.address(0x1000)
        lines.row()
        lines.row(after: 4, line: 1)
        lines.row(after: 0, line: -1)  // as the first row again
        lines.row(after: 4, line: 0)
        lines.row(after: 4, line: 8)
        lines.row(after: 0, line: 1)
        lines.advance(4)
        lines.end()
        #expect(try rows(lines) == ["1000 /src|a.c:1:0", "100c /src|a.c:10:0", "1010 none"])
    }

    @Test("sequences come in any order; where they overlap, the greatest start counts")
    func overlap() throws {
        var lines = LineAssembler()
        lines.sequence(0x3000..<0x3010, line: 30)
        lines.sequence(0x1000..<0x2000, line: 10)
        lines.sequence(0x1100..<0x1200, line: 11)
        lines.sequence(0x1180..<0x1400, line: 12)
        #expect(
            try rows(lines) == [
                "1000 /src|a.c:10:0", "1100 /src|a.c:11:0", "1180 /src|a.c:12:0",
                "1400 /src|a.c:10:0", "2000 none", "3000 /src|a.c:30:0", "3010 none",
            ])
    }

    @Test("of sequences with one start the shorter counts")
    func oneStart() throws {
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x1010, line: 1)
        lines.sequence(0x1000..<0x1020, line: 2)
        #expect(
            try rows(lines) == ["1000 /src|a.c:1:0", "1010 /src|a.c:2:0", "1020 none"])
    }

    @Test("of sequences with one start, a function has the one with its own range")
    func oneStartOfFunctions() throws {
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x1008, line: 1)
        lines.sequence(0x1000..<0x1020, line: 2)
        lines.sequence(0x1000..<0x1010, line: 3)
        lines.sequence(0x1000..<0x1020, line: 4)
        let names = ["whole", "middle", "short", "other"]
        let ends: [UInt64] = [0x1020, 0x1010, 0x1008, 0x1018]
        let root = Die.unit(
            [.lines(at: 0), .text(0x1b, "/src")],
            zip(names, ends).map { .function($0, DieAttribute.code(0x1000..<$1)) })
        let (records, _) = try read(root, [.line: lines.bytes])
        try #require(records.functions.count == 4)
        #expect(
            records.functions.map { records.text($0.rows) } == [
                ["1000 /src|a.c:2:0"], ["1000 /src|a.c:3:0"], ["1000 /src|a.c:1:0"],
                ["1000 /src|a.c:1:0", "1008 /src|a.c:3:0", "1010 /src|a.c:2:0"],
            ])
    }

    @Test(
        "sequences of dropped code leave no trace",
        arguments: [UInt64(0), 1, .max, .max - 1, 0xffff_ffff, 0x8ff8])
    func deadSequences(start: UInt64) throws {
        var lines = LineAssembler()
        lines.address(start)
        lines.row()
        lines.row(after: 8, line: 1)
        lines.advance(8)
        lines.end()
        lines.sequence(0x2000..<0x2004, line: 2)
        #expect(try rows(lines) == ["2000 /src|a.c:2:0", "2004 none"])
        let (_, summary) = try read(.unit([.lines(at: 0)], []), [.line: lines.bytes])
        #expect(summary.warnings == [])
    }

    @Test("a sequence with descending addresses is dropped, with a warning")
    func backwards() throws {
        var lines = LineAssembler()
        lines.address(0x2000)
        lines.row()
        lines.address(0x1000)
        lines.row()
        lines.end()
        lines.sequence(0x2000..<0x2004, line: 2)
        let root = Die.unit([.lines(at: 0)], [])
        let (records, summary) = try read(root, [.line: lines.bytes])
        #expect(records.looseRows.map(records.text) == [["2000 |a.c:2:0", "2004 none"]])
        #expect(summary.warnings == [.lineSequencesDropped])
    }

    @Test("operations advance the address by whole instructions")
    func severalOperations() throws {
        var lines = LineAssembler(minimumLength: 4, maximumOperations: 3)
        lines.address(0x1000)
        lines.row()
        lines.row(after: 2, line: 1)  // operation 2 of the first instruction
        lines.row(after: 2, line: 1)  // operation 1 of the second
        lines.advance(3)
        lines.end()
        #expect(
            try rows(lines) == ["1000 /src|a.c:2:0", "1004 /src|a.c:3:0", "1008 none"])
    }

    @Test("low opcodes are special if opcode_base makes them so", arguments: [UInt8(1), 10])
    func lowOpcodeBase(base: UInt8) throws {
        var lines = LineAssembler(opcodeBase: base)
        lines.address(0x1000)
        lines.raw(base + 14 * 0 + 5 + 2)
        lines.raw(base + 14 * 8 + 5 + 1)
        lines.extended(1, [])
        #expect(try rows(lines) == ["1000 /src|a.c:3:0", "1008 none"])
    }

    @Test("unknown opcodes are skipped")
    func unknownOpcodes() throws {
        var lines = LineAssembler(
            opcodeBase: 15, operandCounts: [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0])
        lines.extended(0x80, [1, 2, 3])
        lines.raw(13, 0x85, 1, 6)
        lines.raw(14)
        lines.sequence(0x1000..<0x1004, line: 2)
        #expect(try rows(lines) == ["1000 /src|a.c:2:0", "1004 none"])
    }

    @Test("columns and files that do not fit are none")
    func largeNumbers() throws {
        var lines = LineAssembler()
        lines.address(0x1000)
        for column in [UInt64(254), 255, 65_535, 1 << 32] {
            lines.column(column)
            lines.row()
            lines.advance(4)
        }
        lines.file(1 << 40)
        lines.row()
        lines.advance(4)
        lines.end()
        #expect(
            try rows(lines) == [
                "1000 /src|a.c:1:254", "1004 /src|a.c:1:255", "1008 /src|a.c:1:65535",
                "100c /src|a.c:1:0", "1010 ?:1:0", "1014 none",
            ])
    }

    @Test("a damaged header affects the lines, not the functions")
    func damagedHeaders() throws {
        var zeroRange = LineAssembler(lineRange: 0)
        zeroRange.sequence(0x1000..<0x1004, line: 1)
        var zeroBase = LineAssembler(opcodeBase: 0)
        zeroBase.sequence(0x1000..<0x1004, line: 1)
        let newer = LineAssembler(version: 6)
        let expected = [
            "line_range is 0", "opcode_base is 0",
            "unsupported line table version 6 (supported: 2 to 5)",
        ]
        for (lines, text) in zip([zeroRange, zeroBase, newer], expected) {
            let root = Die.unit(
                [.lines(at: 0)], [.function("f", DieAttribute.code(0x1000..<0x1010))])
            let (records, summary) = try read(root, [.line: lines.bytes])
            #expect(records.functionNames == ["f"])
            #expect(summary.failures.first?.description.hasSuffix(text) == true)
            #expect(summary.unitsFailed == 1)
        }
    }

    @Test("a file table that declares entries of no bytes has none")
    func emptyFormat() throws {
        var lines = LineAssembler(version: 5)
        lines.sequence(0x1000..<0x1004, line: 2)
        var bytes = lines.bytes
        // After the operand counts: no format and 2⁶³ directories, then as many files.
        let tables = 4 + 2 + 2 + 4 + 6 + 12
        let huge: [UInt8] = [0] + uleb(1 << 63)
        let old = lines.bytes.count - tables - lines.program.count
        bytes.replaceSubrange(tables..<tables + old, with: huge + huge)
        let change = 2 * huge.count - old
        bytes.replaceSubrange(0..<4, with: little(UInt32(bytes.count - 4)))
        bytes.replaceSubrange(8..<12, with: little(UInt32(6 + 12 + old + change)))
        let root = Die.unit([.lines(at: 0)], [])
        let (records, summary) = try read(root, version: 5, [.line: bytes])
        #expect(summary.failures == [])
        #expect(records.looseRows.map(records.text) == [["1000 ?:2:0", "1004 none"]])
    }

    @Test("a table with more rows than the limit is rejected")
    func rowsLimit() throws {
        var lines = LineAssembler()
        lines.address(0x1000)
        for _ in 0..<4 { lines.row(after: 1, line: 1) }
        lines.advance(1)
        lines.end()
        var sections = DwarfSections(isBigEndian: false, addressSize: 8)
        sections[.line] = FileBytes(lines.bytes)
        let unit = UnitHeader(
            offset: 0, size: 20, version: 4, kind: 1, addressSize: 8, offsetSize: 4,
            abbreviations: 0, headerSize: 11)
        let header = try LineProgramHeader(
            at: 0, in: sections, unit: unit, tables: UnitTables(sections, unit: unit),
            budget: WorkBudget(from: WorkPool(size: 0)))
        let code = CodeLayout(testLayout, architecture: .arm64)
        #expect(try LineProgram(header, in: sections, code: code, rowsLimit: 4).rows.count == 4)
        #expect(throws: (any Error).self) {
            try LineProgram(header, in: sections, code: code, rowsLimit: 3)
        }
    }

    @Test("many units that share one long table exceed the work budget")
    func sharedTable() throws {
        var lines = LineAssembler()
        lines.extended(0x80, [UInt8](repeating: 0, count: 100_000))
        lines.sequence(0x1000..<0x1004, line: 2)
        var builder = DieBuilder()
        for _ in 0..<400 { builder.add(.unit([.lines(at: 0)], [])) }
        let (_, summary) = try read(builder.sections([.line: lines.bytes]))
        #expect(summary.warnings == [.workBudget])
        #expect(summary.unitsFailed == 1)
        #expect(summary.unitsRead > 0 && summary.unitsRead < 400)
    }

    @Test("many units that share a damaged table exceed the work budget", arguments: [4, 5])
    func sharedDamagedTable(version: Int) throws {
        var lines = LineAssembler(version: UInt16(version))
        let name = String(repeating: "a", count: 1000)
        lines.files = Array(repeating: (name: name, folder: 0), count: 100)
        var bytes = lines.bytes
        // The last file is cut off, and so is the program.
        bytes.removeLast(4)
        bytes.replaceSubrange(0..<4, with: little(UInt32(bytes.count - 4)))
        let sizePlace = version >= 5 ? 8 : 6
        let size = UInt32(bytes.count - sizePlace - 4)
        bytes.replaceSubrange(sizePlace..<sizePlace + 4, with: little(size))
        var builder = DieBuilder()
        for _ in 0..<400 { builder.add(.unit([.lines(at: 0)], [])) }
        let (_, summary) = try read(builder.sections([.line: bytes]))
        #expect(summary.warnings == [.workBudget])
        #expect(summary.unitsRead == 0 && summary.unitsFailed < 400)
    }

    @Test("the files of a table end with it")
    func filesPastTheEnd() throws {
        var lines = LineAssembler(version: 5)
        lines.sequence(0x1000..<0x1004, line: 2)
        var bytes = lines.bytes
        // The table ends after its operand counts, and has no program.
        bytes.replaceSubrange(0..<4, with: little(UInt32(8 + 6 + 12)))
        bytes.replaceSubrange(8..<12, with: little(UInt32(6 + 12)))
        let (_, summary) = try read(.unit([.lines(at: 0)], []), version: 5, [.line: bytes])
        #expect(summary.unitsFailed == 1)
    }

    @Test("rows outside of all functions are passed to the sink separately")
    func rowsWithoutFunction() throws {
        var lines = LineAssembler()
        lines.address(0x1000)
        lines.row()
        lines.row(after: 0x10, line: 1)
        lines.row(after: 0x10, line: 1)
        lines.advance(0x10)
        lines.end()
        let root = Die.unit(
            [.lines(at: 0)], [.function("f", DieAttribute.code(0x1008..<0x1014))])
        let (records, _) = try read(root, [.line: lines.bytes])
        try #require(!records.functions.isEmpty)
        #expect(
            records.text(records.functions[0].rows) == ["1000 |a.c:1:0", "1010 |a.c:2:0"])
        #expect(
            records.looseRows.map(records.text) == [
                ["1000 |a.c:1:0", "1008 none"],
                ["1014 |a.c:2:0", "1020 |a.c:3:0", "1030 none"],
            ])
    }

    @Test("rows beyond a unit's code belong to the last function, and then to none")
    func rowsBeyondUnit() throws {
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x1040, line: 2)
        lines.sequence(0x1080..<0x1090, line: 3)
        lines.sequence(0x2000..<0x2010, line: 4)
        let words: [UInt64] = [0x1000, 0x1020, 0x1080, 0x1090, 0, 0]
        let base = DieAttribute(0x11, 0x01, little(UInt64(0)))
        let claimed = DieAttribute(0x55, 0x17, little(UInt32(0)))
        let root = Die.unit(
            [.lines(at: 0), base, claimed],
            [.function("f", DieAttribute.code(0x1000..<0x1010))])
        let (records, _) = try read(
            root, [.line: lines.bytes, .ranges: words.flatMap(little)])
        #expect(
            records.looseRows.map(records.text) == [
                ["1010 |a.c:2:0", "1020 none"], ["1080 |a.c:3:0", "1090 none"],
            ])
    }

    @Test("rows of a unit with unreadable ranges are passed to the sink")
    func rowsOfDamagedRanges() throws {
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x1010, line: 2)
        let claimed = DieAttribute(0x55, 0x17, little(UInt32(100)))
        let (records, summary) = try read(
            Die.unit([.lines(at: 0), claimed], []), [.line: lines.bytes])
        #expect(records.looseRows.map(records.text) == [["1000 |a.c:2:0", "1010 none"]])
        #expect(summary.unitsFailed == 1)
    }
}
