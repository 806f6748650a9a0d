import ByteReading
import CallStacks
import Testing

@testable import Dwarf

@Suite("Range lists")
struct RangeListTests {
    /// The ranges of a function with `attributes`.
    private func ranges(
        _ attributes: [DieAttribute], unit: [DieAttribute] = [], version: UInt16 = 4,
        _ others: [DwarfSections.Name: [UInt8]] = [:]
    ) throws -> [String] {
        let root = Die.unit(unit, [.function("f", attributes)])
        let (records, summary) = try read(root, version: version, others)
        #expect(summary.failures == [])
        return records.functions.first.map { $0.ranges.map(RecordList.text) } ?? []
    }

    @Test("the end is an address or a length, in every form")
    func highPC() throws {
        let low = DieAttribute(0x11, 0x01, little(UInt64(0x1000)))
        let forms: [(UInt64, [UInt8])] = [
            (0x01, little(UInt64(0x1010))), (0x0b, [0x10]), (0x05, little(UInt16(0x10))),
            (0x06, little(UInt32(0x10))), (0x07, little(UInt64(0x10))), (0x0d, sleb(0x10)),
            (0x0f, uleb(0x10)),
        ]
        for (form, value) in forms {
            #expect(try ranges([low, DieAttribute(0x12, form, value)]) == ["1000-1010"])
        }
        #expect(try ranges([low, .implicit(0x12, 0x10)]) == ["1000-1010"])
        #expect(try ranges([low, DieAttribute(0x12, 0x0d, sleb(-1))]) == [])
    }

    @Test("indexed addresses count from the unit's base")
    func indexedAddresses() throws {
        let table = [UInt64](repeating: 7, count: 2) + [0x1000, 0x1010]
        let base = DieAttribute(0x73, 0x17, little(UInt32(16)))
        let code = [DieAttribute(0x11, 0x1b, [0]), DieAttribute(0x12, 0x29, [1])]
        #expect(
            try ranges(code, unit: [base], version: 5, [.addr: table.flatMap(little)])
                == ["1000-1010"])
    }

    @Test("an address is an offset from an indexed one, as a form or as an expression")
    func relativeAddresses() throws {
        let base = DieAttribute(0x73, 0x17, little(UInt32(8)))
        let addresses: [DwarfSections.Name: [UInt8]] = [
            .addr: ([0, 7, 0x1000] as [UInt64]).flatMap(little)
        ]
        let expression: [UInt8] = [0xa1, 1, 0x0c, 0x20, 0, 0, 0, 0x22]
        for low in [
            DieAttribute(0x11, 0x2001, [1, 0x20, 0, 0, 0]),
            DieAttribute(0x11, 0x18, [8] + expression),
        ] {
            var builder = DieBuilder()
            let code = [low, DieAttribute(0x12, 0x0b, [0x10])]
            builder.add(Die.unit([base], [.function("f", code)]), version: 5)
            // libdwarf knows neither.
            let records = try read(builder.sections(addresses), usesLibDwarf: false).records
            #expect(records.functions.first?.ranges.map(RecordList.text) == ["1020-1030"])
        }
    }

    @Test(
        "an address in any other expression is reported",
        arguments: [
            [], [0xa1, 1], [0xa1, 1, 0x0c, 0x20, 0, 0, 0], [0x30],
            [0xa1, 1, 0x0c, 0x20, 0, 0, 0, 0x22, 0x96],
        ] as [[UInt8]])
    func unknownExpressions(expression: [UInt8]) throws {
        let low = DieAttribute(0x11, 0x18, uleb(UInt64(expression.count)) + expression)
        let root = Die.unit([], [.function("f", [low, DieAttribute(0x12, 0x0b, [0x10])])])
        let (records, summary) = try read(root, version: 5)
        #expect(records.functions.flatMap { $0.ranges } == [])
        #expect(
            summary.failures.map(\.reason) == [.malformed("an address is an unknown expression")])
    }

    @Test(
        "remnants of functions that the linker dropped are not code",
        arguments: [UInt64(0), 1, .max, .max - 1, 0xffff_ffff, 0xffff_fffe, 0x8ff8, 0x9000])
    func tombstones(start: UInt64) throws {
        let code = [
            DieAttribute(0x11, 0x01, little(start)), DieAttribute(0x12, 0x0b, [0x10]),
        ]
        #expect(try ranges(code) == [])
    }

    @Test("pairs before version 5 count from the unit, or from a base in the list")
    func pairs() throws {
        let words: [UInt64] = [
            0x10, 0x20, .max, 0x10000, 0x0, 0x8, 0x4, 0x4, .max, 0x1000, 0x8, 0x18, 0, 0, 1, 2,
        ]
        let unit = [DieAttribute(0x11, 0x01, little(UInt64(0x1000)))]
        let list = DieAttribute(0x55, 0x17, little(UInt32(8)))
        #expect(
            try ranges(
                [list], unit: unit, [.ranges: little(UInt64(9)) + words.flatMap(little)])
                == ["1008-1020", "10000-10008"])
    }

    @Test("lists count from the entry point of a unit that has no start")
    func baseOfOldUnits() throws {
        let start = DieAttribute(0x11, 0x01, little(UInt64(0x1000)))
        let entry = DieAttribute(0x52, 0x01, little(UInt64(0x2000)))
        let list = DieAttribute(0x55, 0x06, little(UInt32(0)))
        let words: [DwarfSections.Name: [UInt8]] = [
            .ranges: [UInt64(8), 0x18, 0, 0].flatMap(little)
        ]
        #expect(try ranges([list], unit: [entry], version: 2, words) == ["2008-2018"])
        #expect(try ranges([list], unit: [entry, start], version: 2, words) == ["1008-1018"])
    }

    @Test("a list without end and one outside of the section affect the function, not the unit")
    func damagedLists() throws {
        for offset in [UInt32(0), 1000] {
            let list = DieAttribute(0x55, 0x17, little(offset))
            let root = Die.unit([], [.function("f", [list]), .function("g", code(0x1000))])
            let (records, summary) = try read(
                root, [.ranges: [UInt64(0x2000), 0x2010].flatMap(little)])
            #expect(records.functionNames.last == "g")
            #expect(summary.unitsFailed == 1)
            #expect(summary.failures.first?.description.contains(".debug_ranges+0x") == true)
        }
    }

    private func code(_ start: UInt64) -> [DieAttribute] {
        DieAttribute.code(start..<start + 0x10)
    }

    /// A list with every kind of entry of version 5.
    private var everyKind: [UInt8] {
        [1] + uleb(0)  // base_addressx: 0x1000
            + [4] + uleb(0x00) + uleb(0x08)  // offset_pair
            + [2] + uleb(1) + uleb(2)  // startx_endx: 0x2000 to 0x2008
            + [3] + uleb(1) + uleb(0x20)  // startx_length, over the one before
            + [5] + little(UInt64(0x3000))  // base_address
            + [4] + uleb(0x10) + uleb(0x18)
            + [6] + little(UInt64(0x4000)) + little(UInt64(0x4008))  // start_end
            + [7] + little(UInt64(0x5000)) + uleb(8)  // start_length
            + [5] + little(UInt64.max) + [4] + uleb(0x1002) + uleb(0x1010)  // dropped
            + [0, 0xff]
    }

    private let addresses: [UInt8] = [UInt64(0x1000), 0x2000, 0x2008].flatMap(little)

    @Test("all entry kinds of version 5, by offset and by index")
    func entryKinds() throws {
        let expected = ["1000-1008", "2000-2020", "3010-3018", "4000-4008", "5000-5008"]
        let unit = [
            DieAttribute(0x73, 0x17, little(UInt32(0))),
            DieAttribute(0x74, 0x17, little(UInt32(4))),
        ]
        // Four bytes of other data, two offsets relative to their end, the list.
        let section = [9, 9, 9, 9] + little(UInt32(0)) + little(UInt32(8)) + everyKind
        let sections: [DwarfSections.Name: [UInt8]] = [.rnglists: section, .addr: addresses]
        let byOffset = DieAttribute(0x55, 0x17, little(UInt32(12)))
        let byIndex = DieAttribute(0x55, 0x23, [1])
        #expect(try ranges([byOffset], unit: unit, version: 5, sections) == expected)
        #expect(try ranges([byIndex], unit: unit, version: 5, sections) == expected)
    }

    @Test("an unknown entry kind is an error with its position")
    func unknownKind() throws {
        let root = Die.unit(
            [], [.function("f", [DieAttribute(0x55, 0x17, little(UInt32(0)))])])
        let (_, summary) = try read(root, version: 5, [.rnglists: [8]])
        #expect(
            summary.failures.map(\.description) == [
                "unit at .debug_info+0x0: .debug_rnglists+0x1: range list entry kind 8 is unknown"
            ])
    }

    @Test("addresses of four bytes end at 2³²")
    func shortAddresses() throws {
        var builder = DieBuilder()
        let short = { (value: UInt32) in DieAttribute(0x11, 0x01, little(value)) }
        builder.add(
            .unit(
                [],
                [
                    .function("f", [short(0x1000), DieAttribute(0x12, 0x0b, [8])]),
                    .function("g", [DieAttribute(0x55, 0x17, little(UInt32(0)))]),
                    .function(
                        "h", [short(0xffff_fffe), DieAttribute(0x12, 0x06, little(UInt32(4)))]),
                ]), addressSize: 4)
        let list: [UInt32] = [.max, 0x2000, 0, 8, .max, 0xffff_fff0, 0x20, 0x30, 0, 0]
        let (records, summary) = try read(builder.sections([.ranges: list.flatMap(little)]))
        #expect(summary.failures == [])
        #expect(
            records.functions.map { $0.ranges.map(RecordList.text) } == [
                ["1000-1008"], ["2000-2008"],
            ])
    }

    @Test("the Thumb bit is cleared before anything is subtracted")
    func thumb() throws {
        let layout = ImageLayout(
            base: LinkAddress(0x1000), code: [ImageOffset(0)..<ImageOffset(0x100)])
        var builder = DieBuilder()
        builder.add(.unit([], [.function("f", DieAttribute.code(0x1011..<0x1021))]))
        let (records, _) = try read(builder.sections(), layout: layout, architecture: .armv7)
        #expect(records.functions.map { $0.ranges.map(RecordList.text) } == [["10-20"]])
    }

    @Test("many functions that share one long list exceed the work budget")
    func sharedList() throws {
        let pair = little(UInt64(0x1000)) + little(UInt64(0x1004))
        var list: [UInt8] = []
        for _ in 0..<20_000 { list += pair }
        list += [UInt8](repeating: 0, count: 16)
        let shared = DieAttribute(0x55, 0x17, little(UInt32(0)))
        let functions = (0..<200).map { Die.function("f\($0)", [shared]) }
        let (records, summary) = try read(.unit([], functions), [.ranges: list])
        #expect(summary.warnings == [.workBudget])
        #expect(summary.failures.map(\.reason) == [.workBudget])
        #expect(records.functions.count < 200)
    }
}
