import ByteReading
import CallStacks
import TestSupport
import Testing

@testable import Dwarf

/// The files that the mapped reader declines, its limits, and its handling of damage.
@Suite("Reading entries from mapped bytes")
struct MappedReadingTests {
    private let code = DieAttribute.code(0x1000..<0x1010)

    /// Two units with functions, blocks, a local class, inlined calls and forms of every shape.
    private static var busySections: DwarfSections {
        let shapes: [DieAttribute] = [
            DieAttribute(0x2345, 0x0a, [2, 0, 1]), DieAttribute(0x2346, 0x03, [1, 0, 1]),
            DieAttribute(0x2347, 0x04, [1, 0, 0, 0, 1]), DieAttribute(0x2348, 0x18, [1, 1]),
            DieAttribute(0x2349, 0x0d, [0xff, 0x7f]), DieAttribute(0x234a, 0x16, [0x0b, 1]),
            .text(0x234b, "a text"), .implicit(0x234c, -5),
        ]
        let inner = Die.inlined(
            "callee",
            DieAttribute.code(0x1010..<0x1020) + DieAttribute.call(file: 1, line: 7, column: 3))
        let local = Die(
            0x02, shapes, [.function("method", DieAttribute.code(0x1100..<0x1110), [inner])])
        var builder = DieBuilder()
        builder.add(
            .unit(
                [.lines(at: 0)],
                [
                    .function("callee", [.linkageName("_callee")], label: "callee"),
                    Die(0x34, shapes),
                    .function(
                        "outer", shapes + DieAttribute.code(0x1000..<0x1100),
                        [.block([inner, local])]),
                    .function("last", DieAttribute.code(0x1300..<0x1310)),
                ]))
        builder.add(
            .unit(
                [],
                [
                    Die(
                        0x2e,
                        [.reference(0x31, "callee", anyUnit: true)]
                            + DieAttribute.code(0x2000..<0x2010))
                ]), version: 5)
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x2010, line: 4)
        return builder.sections([.line: lines.bytes])
    }

    private func refusal(
        of root: Die, version: UInt16 = 4, kind: UInt8 = 1
    ) throws -> MappedRefusal? {
        var builder = DieBuilder()
        builder.add(root, version: version, kind: kind)
        return try read(builder.sections(), usesLibDwarf: false).summary.refusal
    }

    @Test("ordinary files are not declined, unless a second opinion is requested")
    func ordinary() throws {
        let sections = Self.busySections
        let (records, summary) = try read(sections)
        #expect(summary.refusal == nil && summary.failures == [])
        #expect(records.functionNames == ["outer", "method", "last", "_callee"])
        #expect(try read(sections, usesLibDwarf: true).summary.refusal == .notWanted)
    }

    @Test(
        "forms outside the standards are declined",
        arguments: [
            (UInt64(0x1f03), MappedRefusal.form(0x1f03)),
            (0x2d, .form(0x2d)),
            (0x02, .form(0x02)),
        ])
    func forms(form: UInt64, refusal: MappedRefusal) throws {
        let odd = Die(0x34, [DieAttribute(0x2345, form, [UInt8](repeating: 0, count: 8))])
        #expect(try self.refusal(of: .unit([], [.function("f", code), odd])) == refusal)
    }

    @Test("big-endian files are declined")
    func bigEndian() {
        var sections = DwarfSections(isBigEndian: true, addressSize: 8)
        for name in [DwarfSections.Name.info, .abbrev] { sections[name] = Self.busySections[name] }
        #expect(MappedRefusal(of: sections, units: []) == .bigEndian)
    }

    @Test("a refusal has a reason")
    func reasons() {
        let all: [MappedRefusal] = [
            .notWanted, .bigEndian, .form(0x1f03),
        ]
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(MappedRefusal.form(0x1f03).description == "form 0x1f03 is not of DWARF 2 to 5")
    }

    @Test("an abbreviation table with one step more than the limit is refused")
    func stepsLimit() throws {
        // One abbreviation with two attributes is three steps.
        let table = FileBytes([1, 0x2e, 0, 3, 8, 0x11, 1, 0, 0, 0])
        let header = try #require(
            try UnitScan(Self.busySections.bytes(.info), bigEndian: false).units.first)
        let format = FormShape.Format(header)
        var compiler = AbbreviationCompiler()
        let programs = try AbbreviationPrograms(
            table, at: 0, format: format, compiledBy: &compiler, stepsLimit: 3)
        #expect(programs.program(of: 1).tag == 0x2e)
        #expect(throws: ReadingError.self) {
            try AbbreviationPrograms(
                table, at: 0, format: format, compiledBy: &compiler, stepsLimit: 2)
        }
    }

    @Test("one attribute more than an entry may have is refused, and fails the unit")
    func readsLimit() throws {
        for count in [AbbreviationPrograms.readsLimit, AbbreviationPrograms.readsLimit + 1] {
            let names = [DieAttribute](repeating: .text(0x03, "f"), count: count - code.count)
            var builder = DieBuilder()
            builder.add(.unit([], [Die(0x2e, names + code)]))
            let (records, summary) = try read(builder.sections(), usesLibDwarf: false)
            let isRead = count == AbbreviationPrograms.readsLimit
            #expect(records.functionNames == (isRead ? ["f"] : []))
            #expect(summary.unitsFailed == (isRead ? 0 : 1))
        }
    }

    @Test("codes are found on both sides of the limit of dense tables, and the first counts")
    func codes() throws {
        let limit = AbbreviationPrograms.denseLimit
        let codes = [1, limit - 1, limit, limit + 1, 1 << 40]
        var bytes: [UInt8] = []
        for (index, code) in (codes + codes).enumerated() {
            bytes += uleb(code) + [UInt8(index + 1), 0, 0, 0]
        }
        let header = try #require(
            try UnitScan(Self.busySections.bytes(.info), bigEndian: false).units.first)
        var compiler = AbbreviationCompiler()
        let programs = try AbbreviationPrograms(
            FileBytes(bytes + [0]), at: 0, format: FormShape.Format(header), compiledBy: &compiler)
        #expect(codes.map { programs.program(of: $0).tag } == [1, 2, 3, 4, 5])
        #expect(programs.program(of: 2).tag == 0)
        #expect(programs.program(of: limit + 2).tag == 0)
        #expect(programs.program(of: .max).tag == 0)
    }

    @Test("a single abbreviation is found anywhere in its table, and the first of its code counts")
    func singleCode() throws {
        var bytes: [UInt8] = []
        for (index, code) in [7, 1 << 40, 3, 3].enumerated() as EnumeratedSequence<[UInt64]> {
            // Each has an address and a text.
            bytes += uleb(code) + [UInt8(index + 1), 0, 0x11, 1, 3, 8, 0, 0]
        }
        let header = try #require(
            try UnitScan(Self.busySections.bytes(.info), bigEndian: false).units.first)
        var compiler = AbbreviationCompiler()
        for (code, tag) in [7: 1, 1 << 40: 2, 3: 3, 5: 0] as [UInt64: UInt16] {
            let programs = try AbbreviationPrograms(
                FileBytes(bytes + [0]), at: 0, only: code, format: FormShape.Format(header),
                compiledBy: &compiler)
            for other in [7, 1 << 40, 3, 5] as [UInt64] {
                #expect(programs.program(of: other).tag == (other == code ? tag : 0))
            }
        }
    }

    @Test("LEB128 numbers of 10 bytes are read, longer ones are not", arguments: [9, 10])
    func longNumbers(padding: Int) throws {
        let number = [UInt8](repeating: 0x80, count: padding) + [0]
        let odd = Die(0x34, [DieAttribute(0x2345, 0x0f, number)])
        var builder = DieBuilder()
        builder.add(.unit([], [odd, .function("f", code)]))
        let (records, _) = try read(builder.sections(), usesLibDwarf: false)
        #expect(records.functionNames == (padding == 9 ? ["f"] : []))
    }

    @Test("of a LEB128 number of 10 bytes, bits beyond the 64th are ignored")
    func excessBits() {
        func bytes(_ bytes: [UInt8], _ body: (MappedBytes) -> Void) {
            let section = FileBytes(bytes)
            withExtendedLifetime(section) {
                body(unsafe MappedBytes(section, end: UInt64(bytes.count)))
            }
        }
        let low = [UInt8](repeating: 0xff, count: 9)
        for (number, isRead) in [(low + [0x7f], true), (low + [0xff, 0], false), (low, false)] {
            bytes(number + (isRead ? [5] : [])) { bytes in
                var position = 0
                #expect(bytes.uleb128(at: &position) == (isRead ? .max : nil))
                position = 0
                #expect(bytes.sleb128(at: &position) == (isRead ? -1 : nil))
                position = 0
                #expect(bytes.skipLEB128(at: &position) == isRead)
                if isRead { #expect(position == 10) }
            }
        }
    }

    @Test("truncated sections never trap, and the complete units are read")
    func prefixes() throws {
        let sections = Self.busySections
        for name in [DwarfSections.Name.info, .abbrev, .line] {
            let bytes = sections.bytes(name)
            for count in 0..<bytes.count {
                var shorter = sections
                shorter[name] = try bytes.slice(at: 0, count: UInt64(count), subject: "")
                guard let (_, summary) = try? read(shorter, usesLibDwarf: false) else { continue }
                #expect(name != .info || summary.unitsRead < 2)
            }
        }
    }

    /// Units that use abbreviation tables of about `size` bytes, all of them cut off. Each unit's
    /// table starts an abbreviation after that of the unit before.
    private func unitsWithDamagedTables(_ count: Int, size: Int) -> DwarfSections {
        let abbreviation: [UInt8] = [1, 0x11, 0, 0x03, 0x0b, 0, 0]
        var builder = DieBuilder()
        for _ in 0..<count { builder.add(.unit([], [])) }
        var info = builder.info
        let unit = info.count / count
        for index in 0..<count {
            let table = UInt32(index * abbreviation.count)
            info.replaceSubrange(index * unit + 6..<index * unit + 10, with: little(table))
        }
        let table = Array(repeatElement(abbreviation, count: size / 7).joined()) + [0x80]
        return builder.sections([.info: info, .abbrev: table])
    }

    @Test("damaged abbreviation tables cost what is read of them")
    func damagedTables() throws {
        let sections = unitsWithDamagedTables(400, size: 100_000)
        let (_, summary) = try read(sections, usesLibDwarf: false)
        #expect(summary.warnings == [.workBudget])
        #expect(summary.unitsRead == 0 && summary.unitsFailed < 400)
        // libdwarf needs the sizes of all tables.
        let error = #expect(throws: DwarfError.self) { try read(sections, usesLibDwarf: true) }
        #expect(error?.reason == .workBudget)
    }

    @Test("a damaged table is read once for all units that share it")
    func sharedDamagedTable() throws {
        var sections = unitsWithDamagedTables(1000, size: 100_000)
        let info = sections.bytes(.info)
        var bytes = info.withSpan(of: 0..<info.count) { span in span.indices.map { span[$0] } }
        let unit = bytes.count / 1000
        for index in 0..<1000 {
            bytes.replaceSubrange(index * unit + 6..<index * unit + 10, with: little(UInt32(0)))
        }
        sections[.info] = FileBytes(bytes)
        let (_, summary) = try read(sections, usesLibDwarf: false)
        #expect(summary.unitsFailed == 1000 && summary.warnings == [])
    }

    @Test("a unit whose entries end long before its end has failed")
    func earlyEnd() throws {
        var builder = DieBuilder()
        builder.add(
            .unit(
                [],
                [
                    .function("first", code), .function("second", code, label: "second"),
                    .function("third", DieAttribute.code(0x1010..<0x1020)),
                ]))
        let whole = try read(builder.sections(), usesLibDwarf: false)
        #expect(whole.records.functionNames.contains("third"))
        var info = builder.info
        info[try #require(builder.places["second"])] = 0
        var sections = builder.sections()
        sections[.info] = FileBytes(info)
        let (records, summary) = try read(sections, usesLibDwarf: false)
        #expect(records.functionNames == ["first"])
        #expect(summary.unitsFailed == 1)
    }

    @Test("damaged sections never trap", arguments: UInt64(0)..<200)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var sections = Self.busySections
        for name in [DwarfSections.Name.info, .abbrev, .line] {
            guard Bool.random(using: &numbers) else { continue }
            var bytes = sections.bytes(name).withSpan(of: 0..<sections.bytes(name).count) { span in
                span.indices.map { span[$0] }
            }
            for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[place] = [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &numbers)]
                    .randomElement(using: &numbers)!
            }
            sections[name] = FileBytes(bytes)
        }
        let result = try? read(sections, usesLibDwarf: false)
        if let (records, _) = result {
            for function in records.functions {
                #expect(
                    function.calls.indices.allSatisfy { (function.calls[$0].parent ?? -1) < $0 })
                #expect(function.intervals.allSatisfy { function.calls.indices.contains($0.call) })
            }
        }
    }
}

extension AbbreviationPrograms {
    /// The program of `code`, empty if the table has none.
    fileprivate func program(of code: UInt64) -> AbbreviationProgram {
        unsafe all[number(of: code)]
    }
}
