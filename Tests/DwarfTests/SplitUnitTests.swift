import ByteReading
import CallStacks
import TestSupport
import Testing

@testable import Dwarf

@Suite("Split units")
struct SplitUnitTests {
    private static let id: UInt64 = 0x1234

    /// An image of one skeleton unit, with all other entries in the split unit.
    private func image(version: UInt16, id: UInt64 = SplitUnitTests.id) -> DwarfSections {
        let addresses: [UInt64] = [7, 0x1000, 0x2000, 0x3000]
        var builder = DieBuilder()
        let code = DieAttribute.code(0x1000..<0x4000)
        if version >= 5 {
            let root = Die(
                0x4a,
                [.text(0x76, "/build/a.dwo"), DieAttribute(0x73, 0x17, little(UInt32(8)))] + code)
            builder.add(root, version: 5, kind: 4, splitID: id)
        } else {
            let root = Die(
                0x11,
                [
                    .text(0x2130, "/build/a.dwo"), DieAttribute(0x2131, 0x07, little(id)),
                    DieAttribute(0x2133, 0x17, little(UInt32(8))),
                    DieAttribute(0x2132, 0x17, little(UInt32(16))),
                ] + code)
            builder.add(root, version: 4)
        }
        // The base precedes the first pair, and the unit's own lists would start at 0.
        let pairs: [UInt64] = [1, 2, 0, 0x10, 0x20, 0x30, 0, 0]
        return builder.sections([
            .addr: addresses.flatMap(little), .ranges: pairs.flatMap(little),
        ])
    }

    /// The split unit: a function of two ranges with a call that is inlined from another entry, and
    /// a function of one range.
    private func unit(
        version: UInt16, id: UInt64 = SplitUnitTests.id
    ) -> (builder: DieBuilder, others: [DwarfSections.Name: [UInt8]]) {
        let text: UInt64 = version >= 5 ? 0x1a : 0x1f02
        let address: UInt64 = version >= 5 ? 0x1b : 0x1f01
        func code(_ index: UInt8, _ size: UInt8) -> [DieAttribute] {
            [DieAttribute(0x11, address, [index]), DieAttribute(0x12, 0x0b, [size])]
        }
        let ranges =
            version >= 5
            ? DieAttribute(0x55, 0x23, [0]) : DieAttribute(0x55, 0x17, little(UInt32(0)))
        let children = [
            Die(0x2e, [DieAttribute(0x03, text, [0])], label: "callee"),
            Die(
                0x2e, [DieAttribute(0x03, text, [1]), ranges],
                [.inlined("callee", code(0, 4) + DieAttribute.call(file: 1, line: 5, column: 2))]),
            Die(0x2e, [DieAttribute(0x03, text, [2])] + code(1, 0x10)),
        ]
        var builder = DieBuilder()
        let own = version >= 5 ? [] : [DieAttribute(0x2131, 0x07, little(id))]
        builder.add(.unit(own, children), version: version, kind: 5, splitID: id)
        let header: [UInt8] = version >= 5 ? little(UInt32(0)) + little(UInt32(0)) : []
        // One list after its offset: an index of an address with a length, and an address with one.
        let list: [UInt8] =
            [0, 0, 0, 0, 5, 0, 8, 0, 1, 0, 0, 0] + little(UInt32(4)) + [3, 0, 0x10, 7]
            + little(UInt64(0x1020)) + [0x10, 0]
        return (
            builder,
            [
                .str: Array("callee\0outer\0last\0".utf8),
                .strOffsets: header + [0, 7, 13].flatMap { little(UInt32($0)) },
                .rnglists: list,
            ]
        )
    }

    private func object(version: UInt16, id: UInt64 = SplitUnitTests.id) throws -> SplitFile {
        let (builder, others) = unit(version: version, id: id)
        let sections = builder.sections(others, isSplit: true)
        return try SplitFile { sections }
    }

    /// A package with the unit after bytes of others.
    private func package(
        version: UInt16, id: UInt64 = SplitUnitTests.id, indexed: UInt64? = nil
    ) throws -> SplitFile {
        var (builder, others) = unit(version: version, id: id)
        let whole = builder.sections(isSplit: true)
        let names: [(DwarfSections.Name, UInt32)] =
            [(.info, 1), (.abbrev, 3), (.strOffsets, 6)] + (version >= 5 ? [(.rnglists, 8)] : [])
        for name in [DwarfSections.Name.info, .abbrev] {
            others[name] = whole.bytes(name).withSpan(of: 0..<whole.bytes(name).count) { span in
                span.indices.map { span[$0] }
            }
        }
        var index = PackageBuilder()
        index.version = version >= 5 ? 5 : 2
        index.columns = names.map(\.1)
        index.units = [
            .init(
                id: indexed ?? id,
                parts: names.map { (offset: 24, size: UInt32(others[$0.0]?.count ?? 0)) })
        ]
        for (name, _) in names {
            others[name] = [UInt8](repeating: 0xff, count: 24) + (others[name] ?? []) + [0xff]
        }
        others[.packageIndex] = index.bytes()
        var sections = DwarfSections(isBigEndian: false, addressSize: 8, isSplit: true)
        for (name, bytes) in others { sections[name] = FileBytes(bytes) }
        return try SplitFile { [sections] in sections }
    }

    private func files(_ files: SplitFile...) -> SplitFiles {
        var all = SplitFiles()
        for file in files { all.add(file) }
        return all
    }

    @Test("functions, calls and names are those of the split unit", arguments: [4, 5])
    func joined(version: Int) throws {
        let version = UInt16(version)
        for file in [try object(version: version), try package(version: version)] {
            let (records, summary) = try read(image(version: version), splitFiles: files(file))
            #expect(records.functionNames == ["outer", "last"])
            let outer = try #require(records.functions.first)
            #expect(outer.ranges.map(RecordList.text) == ["1000-1010", "1020-1030"])
            #expect(outer.calls.map { records.name($0.name) } == ["callee"])
            #expect(outer.intervals.map { RecordList.text($0.range) } == ["1000-1004"])
            #expect(records.functions.last?.ranges.map(RecordList.text) == ["2000-2010"])
            #expect(summary.warnings == [] && summary.failures == [])
            #expect(summary.hasInlines && summary.refusal == nil)
            #expect(summary.producers == ["tester 1.0"])
        }
    }

    @Test("a summary finds the same", arguments: [4, 5])
    func look(version: Int) throws {
        let version = UInt16(version)
        let reader = DwarfReader(
            sections: image(version: version), splitFiles: files(try object(version: version)),
            layout: testLayout, architecture: .arm64)
        let summary = try reader.summary()
        #expect(summary.hasFunctions && summary.hasInlines && summary.warnings == [])
    }

    /// An image of three units, all of them split.
    private func imageOfThree() -> DwarfSections {
        var builder = DieBuilder()
        let code = DieAttribute.code(0x1000..<0x4000)
        for id in [Self.id, 77, 78] {
            let root = Die(
                0x4a,
                [.text(0x76, "a.dwo"), DieAttribute(0x73, 0x17, little(UInt32(8)))] + code)
            builder.add(root, version: 5, kind: 4, splitID: id)
        }
        return builder.sections([.addr: [7, 0x1000, 0x2000].flatMap { little(UInt64($0)) }])
    }

    @Test("several workers read the same as one")
    func workers() async throws {
        let splitFiles = files(
            try object(version: 5), try package(version: 5, id: 77), try object(version: 5, id: 78))
        let reader = DwarfReader(
            sections: imageOfThree(), splitFiles: splitFiles, layout: testLayout,
            architecture: .arm64)
        let alone = try await reader.read(workers: 1) { RecordList() }
        let together = try await reader.read(workers: 3) { RecordList() }
        #expect(alone.sinks.count == 1 && together.sinks.count == 3)
        #expect(alone.summary == together.summary && alone.summary.warnings == [])
        func orders(_ sinks: [RecordList]) -> [UInt64] {
            sinks.flatMap { $0.functions.map(\.order) }.sorted()
        }
        #expect(orders(alone.sinks).count == 6)
        #expect(orders(alone.sinks) == orders(together.sinks))
        #expect(Set(orders(alone.sinks)).count == 6)
    }

    @Test("an inspection reports every missing unit, also after a complete one")
    func lookAtMissing() throws {
        let reader = DwarfReader(
            sections: imageOfThree(), splitFiles: files(try object(version: 5)), layout: testLayout,
            architecture: .arm64)
        let summary = try reader.summary()
        #expect(summary.hasFunctions && summary.hasInlines)
        #expect(summary.splitUnitsMissing == 2)
        #expect(summary.warnings == [.splitDwarfMissing])
    }

    @Test("missing units and those of another build are reported", arguments: [4, 5])
    func missing(version: Int) throws {
        let version = UInt16(version)
        let others = files(
            try object(version: version, id: 77), try package(version: version, id: 78))
        for splitFiles in [SplitFiles(), others] {
            let (records, summary) = try read(image(version: version), splitFiles: splitFiles)
            #expect(records.functionNames == [])
            #expect(summary.warnings == [.splitDwarfMissing])
            #expect(summary.splitUnitsMissing == 1)
            #expect(summary.failures == [])
        }
    }

    @Test("an index that refers to another unit fails that unit", arguments: [4, 5])
    func falseIndex(version: Int) throws {
        let version = UInt16(version)
        let file = try package(version: version, id: 77, indexed: Self.id)
        let (_, summary) = try read(
            image(version: version), splitFiles: files(file), usesLibDwarf: false)
        #expect(summary.unitsFailed == 1)
        #expect(
            summary.failures.first?.description.hasPrefix("unit at .debug_info+0x0: split unit")
                == true)
    }

    @Test("the references of a file have its name")
    func references() {
        for version in [4, 5] as [UInt16] {
            let reader = DwarfReader(
                sections: image(version: version), layout: testLayout, architecture: .arm64)
            #expect(
                reader.splitReferences() == [
                    SplitReference(fileName: "/build/a.dwo", id: Self.id)
                ])
        }
    }

    @Test("a reference to a module is not a reference to a split unit")
    func modules() throws {
        var builder = DieBuilder()
        builder.add(
            .unit(
                [.text(0x76, "Kit.swiftmodule"), DieAttribute(0x2131, 0x07, little(Self.id))], []),
            version: 5)
        let sections = builder.sections()
        let reader = DwarfReader(sections: sections, layout: testLayout, architecture: .arm64)
        #expect(reader.splitReferences() == [])
        #expect(try read(sections).summary.warnings == [])
    }

    @Test("a file lists the units that it contains")
    func holding() throws {
        for file in [try object(version: 4), try package(version: 5)] {
            #expect(file.contains(SplitReference(fileName: "", id: Self.id)))
            #expect(!file.contains(SplitReference(fileName: "", id: 77)))
        }
    }

    /// A `.dwo` file of version 4 whose units have the ids 1 and up, and abbreviation tables that
    /// start one after another and extend to the end of the section.
    private func object(unitCount: Int, abbreviationCount: Int) -> DwarfSections {
        let abbreviation: [UInt8] = [1, 0x11, 0] + uleb(0x2131) + [0x07, 0, 0]
        var builder = DieBuilder()
        for id in 1...UInt64(unitCount) {
            builder.add(Die(0x11, [DieAttribute(0x2131, 0x07, little(id))]))
        }
        var info = builder.info
        let unit = info.count / unitCount
        for index in 0..<unitCount {
            let table = UInt32(index * abbreviation.count)
            info.replaceSubrange(index * unit + 6..<index * unit + 10, with: little(table))
        }
        var sections = DwarfSections(isBigEndian: false, addressSize: 8, isSplit: true)
        sections[.info] = FileBytes(info)
        sections[.abbrev] = FileBytes(
            Array(repeatElement(abbreviation, count: abbreviationCount).joined()))
        return sections
    }

    @Test("a unit whose id is unreadable does not affect the others")
    func unreadableID() throws {
        // The third unit's abbreviations start after the section.
        let sections = object(unitCount: 3, abbreviationCount: 2)
        #expect(try SplitFile { sections }.objectIDs?.sorted() == [1, 2])
        let others = object(unitCount: 1, abbreviationCount: 0)
        #expect(throws: DwarfError.self) { try SplitFile { others } }
    }

    @Test("the ids of all units of a file have one work budget")
    func budgetOfIDs() throws {
        let sections = object(unitCount: 400, abbreviationCount: 12_500)
        #expect(throws: DwarfError(.workBudget)) { try SplitFile { sections } }
    }

    @Test("rows of a package that all lead to the same wrong units exceed the work budget")
    func sharedRows() throws {
        var split = DieBuilder()
        let text = String(repeating: "a", count: 2000)
        for _ in 0..<40 {
            split.add(Die(0x11, [.text(0x03, text)]), version: 5, kind: 5, splitID: 0xdead)
        }
        var image = DieBuilder()
        var index = PackageBuilder()
        index.slotCount = 1024
        for id in 1...400 as ClosedRange<UInt64> {
            let root = Die(
                0x4a,
                [.text(0x76, "a.dwo"), DieAttribute(0x73, 0x17, little(UInt32(8)))]
                    + DieAttribute.code(0x1000..<0x4000))
            image.add(root, version: 5, kind: 4, splitID: id)
            index.units.append(.init(id: id, parts: [(0, UInt32(split.info.count))]))
        }
        let sections = split.sections([.packageIndex: index.bytes()], isSplit: true)
        let (_, summary) = try read(
            image.sections([.addr: [UInt8](repeating: 0, count: 16)]),
            splitFiles: files(try SplitFile { sections }))
        #expect(summary.warnings == [.workBudget])
        #expect(summary.unitsRead == 0 && summary.unitsFailed < 400)
    }

    @Test("damaged split units never trap", arguments: UInt64(0)..<200)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let version: UInt16 = seed % 2 == 0 ? 4 : 5
        let (builder, others) = unit(version: version)
        var sections = builder.sections(others, isSplit: true)
        for name in sections.names {
            guard let whole = sections[name], Bool.random(using: &numbers) else { continue }
            var bytes = whole.withSpan(of: 0..<whole.count) { span in span.indices.map { span[$0] }
            }
            for _ in 0..<4 {
                bytes[Int.random(in: bytes.indices, using: &numbers)] =
                    [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &numbers)!
            }
            sections[name] = FileBytes(bytes)
        }
        guard let file = try? SplitFile({ [sections] in sections }) else { return }
        for usesLibDwarf in [false, true] {
            let summary = try read(
                image(version: version), splitFiles: files(file), usesLibDwarf: usesLibDwarf
            ).summary
            #expect(summary.unitsRead + summary.unitsFailed == 1)
        }
    }
}
