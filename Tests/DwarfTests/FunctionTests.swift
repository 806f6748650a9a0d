import ByteReading
import CallStacks
import Testing

@testable import Dwarf

@Suite("Functions and inlined calls")
struct FunctionTests {
    private func code(_ range: Range<UInt64>) -> [DieAttribute] { DieAttribute.code(range) }

    private var lines: [UInt8] {
        var lines = LineAssembler(files: [("a.c", 0), ("b.c", 0)])
        lines.sequence(0x1000..<0x2000, line: 1)
        return lines.bytes
    }

    @Test("functions are found in every kind of parent entry")
    func hiddenFunctions() throws {
        let local = Die(0x02, [], [.function("method", code(0x1100..<0x1110))])
        let lambda = Die.function(
            "lambda", code(0x1120..<0x1130),
            [.block([Die(0x13, [], [.function("inner", code(0x1140..<0x1150))])])])
        let abstract = Die.function(
            "abstract", [], [Die(0x02, [], [.function("of abstract", code(0x1200..<0x1210))])])
        let root = Die.unit(
            [],
            [
                .function("outer", code(0x1000..<0x1100), [local, .block([lambda])]), abstract,
                .function("last", code(0x1300..<0x1310)),
            ])
        let (records, summary) = try read(root)
        #expect(
            records.functionNames == ["outer", "method", "lambda", "inner", "of abstract", "last"])
        #expect(summary.hasFunctions && !summary.hasInlines && !summary.hasLines)
        #expect(summary.producers == ["tester 1.0"])
    }

    @Test("a function inside another is not part of its chain")
    func nestedFunction() throws {
        let nested = Die.function(
            "nested", code(0x1010..<0x1020), [.inlined("f", code(0x1010..<0x1014))])
        let root = Die.unit(
            [],
            [
                .function("f", [], label: "f"),
                .function(
                    "outer", code(0x1000..<0x1100),
                    [
                        .inlined("f", code(0x1000..<0x1080), [nested]),
                        .inlined("f", code(0x1080..<0x1084)),
                    ]
                ),
            ])
        let (records, _) = try read(root)
        let outer = try #require(records.functions.first { records.name($0.name) == "outer" })
        let inner = try #require(records.functions.first { records.name($0.name) == "nested" })
        #expect(
            records.calls(of: outer) == [
                "f in - from none 1000-1080", "f in - from none 1080-1084",
            ])
        #expect(records.calls(of: inner) == ["f in - from none 1010-1014"])
    }

    @Test("calls keep their order, sites and code; blocks pass on their parent")
    func calls() throws {
        let inner = Die.inlined(
            "b", code(0x1010..<0x1020) + DieAttribute.call(file: 2, line: 7, column: 3))
        let root = Die.unit(
            [.lines(at: 0)],
            [
                .function("a", [], label: "a"), .function("b", [], label: "b"),
                .function(
                    "f", code(0x1000..<0x1100),
                    [
                        .block([
                            .inlined(
                                "a",
                                code(0x1010..<0x1040) + [.implicit(0x58, 1), .implicit(0x59, 300)],
                                [.block([inner])])
                        ])
                    ]),
            ])
        let (records, summary) = try read(root, version: 5, [.line: lines])
        #expect(summary.failures == [])
        try #require(!records.functions.isEmpty)
        #expect(
            records.calls(of: records.functions[0]) == [
                "a in - from |a.c:300:0 1010-1040", "b in 0 from |b.c:7:3 1010-1020",
            ])
        #expect(summary.hasInlines && summary.hasLines)
    }

    @Test("a call without code is dropped, and its children move up")
    func callWithoutCode() throws {
        let child = Die.inlined("b", code(0x1010..<0x1020))
        let dropped = Die.inlined("a", code(0x0..<0x10), [child])
        let root = Die.unit(
            [],
            [
                .function("a", [], label: "a"), .function("b", [], label: "b"),
                .function("f", code(0x1000..<0x1100), [.inlined("a", [], [dropped])]),
            ])
        let (records, _) = try read(root)
        try #require(!records.functions.isEmpty)
        #expect(records.calls(of: records.functions[0]) == ["b in - from none 1010-1020"])
    }

    @Test("the call site in the parent is that of the outermost call without code")
    func siteOfCallWithoutCode() throws {
        func site(_ line: UInt64) -> [DieAttribute] {
            DieAttribute.call(file: 1, line: line, column: 2)
        }
        let innermost = Die.inlined("a", code(0x1014..<0x1018) + site(40))
        let child = Die.inlined("b", code(0x1010..<0x1020) + site(30), [innermost])
        let dropped = Die.inlined("a", site(10), [.block([.inlined("a", site(20), [child])])])
        let sibling = Die.inlined("b", code(0x1020..<0x1030) + site(50))
        let root = Die.unit(
            [.lines(at: 0)],
            [
                .function("a", [], label: "a"), .function("b", [], label: "b"),
                .function("f", code(0x1000..<0x1100), [dropped, sibling]),
            ])
        let (records, _) = try read(root, [.line: lines])
        try #require(!records.functions.isEmpty)
        #expect(
            records.calls(of: records.functions[0]) == [
                "b in - from |a.c:10:2 1010-1020", "a in 0 from |a.c:40:2 1014-1018",
                "b in - from |a.c:50:2 1020-1030",
            ])
    }

    /// A function with `depth` calls inlined into one another.
    private func nest(_ depth: Int) -> Die {
        var die = Die.inlined("a", code(0x1000..<0x1004))
        for _ in 1..<depth { die = .inlined("a", code(0x1000..<0x1004), [die]) }
        return .unit(
            [],
            [.function("a", [], label: "a"), .function("f", code(0x1000..<0x1010), [die])])
    }

    @Test("512 inlined levels are kept; with one more the function has no calls")
    func inlineDepth() throws {
        let (kept, noWarning) = try read(nest(CodeEntry.inlineLimit))
        try #require(!kept.functions.isEmpty)
        #expect(kept.functions[0].calls.count == CodeEntry.inlineLimit)
        #expect(noWarning.warnings == [])
        let (lost, warned) = try read(nest(CodeEntry.inlineLimit + 1))
        try #require(lost.functionNames == ["f"])
        #expect(lost.functions[0].calls.isEmpty && lost.functions[0].intervals.isEmpty)
        #expect(warned.warnings == [.inlineDepth])
    }

    @Test("entries nested beyond the limit fail their unit without a stack overflow")
    func entryDepth() throws {
        func unit(depth: Int) -> [UInt8] {
            // The unit, then blocks with children: codes 1 and 2.
            [1] + [UInt8](repeating: 2, count: depth) + [UInt8](repeating: 0, count: depth + 1)
        }
        let abbreviations: [UInt8] = [1, 0x11, 1, 0, 0, 2, 0x0b, 1, 0, 0, 0]
        for depth in [CodeEntry.depthLimit, CodeEntry.depthLimit + 1] {
            let body = little(UInt16(4)) + little(UInt32(0)) + [8] + unit(depth: depth)
            var sections = DwarfSections(isBigEndian: false, addressSize: 8)
            sections[.info] = FileBytes(little(UInt32(body.count)) + body)
            sections[.abbrev] = FileBytes(abbreviations)
            let summary = try read(sections).summary
            let isTooDeep = depth > CodeEntry.depthLimit
            #expect(
                summary.failures.map(\.reason)
                    == (isTooDeep ? [.nesting(limit: CodeEntry.depthLimit)] : []))
        }
    }

    @Test("adjacent ranges stay separate, overlapping ranges are joined")
    func disjointRanges() {
        func range(_ low: UInt64, _ high: UInt64) -> Range<ImageOffset> {
            ImageOffset(low)..<ImageOffset(high)
        }
        #expect(
            [range(8, 9), range(4, 8), range(0, 3), range(2, 4)].disjoint()
                == [range(0, 4), range(4, 8), range(8, 9)])
    }

    @Test("the code of a unit that no function covers")
    func subtracting() {
        func range(_ start: UInt64, _ end: UInt64) -> Range<ImageOffset> {
            ImageOffset(start)..<ImageOffset(end)
        }
        let code = [range(0, 10), range(20, 30), range(40, 50)]
        #expect(code.subtracting([]) == code)
        #expect(
            code.subtracting([range(2, 4), range(4, 5), range(8, 25), range(26, 45)])
                == [range(0, 2), range(5, 8), range(25, 26), range(45, 50)])
        #expect(code.subtracting([range(0, 60)]) == [])
        #expect(code.subtracting([range(10, 20), range(50, 60)]) == code)
    }

    @Test("a sibling that leads back ends the unit")
    func siblingLoop() throws {
        let back = DieAttribute.reference(0x01, "first")
        let root = Die.unit(
            [],
            [
                .function("f", code(0x1000..<0x1010), label: "first"),
                Die(0x02, [back], [.function("g", code(0x1010..<0x1020))]),
            ])
        var builder = DieBuilder()
        builder.add(root)
        let (records, summary) = try read(builder.sections(), usesLibDwarf: true)
        #expect(records.functionNames == ["f", "g"])
        #expect(summary.unitsFailed == 1)
        // The mapped reader does not read siblings.
        let (mapped, mappedSummary) = try read(builder.sections())
        #expect(mapped.functionNames == ["f", "g"])
        #expect(mappedSummary.unitsFailed == 0)
    }

    @Test("a summary from a quick look equals that of reading everything")
    func summary() throws {
        let root = nest(3)
        var builder = DieBuilder()
        builder.add(root)
        let reader = DwarfReader(
            sections: builder.sections(), layout: testLayout, architecture: .arm64)
        let look = try reader.summary()
        let (_, summary) = try read(root)
        #expect(look == summary)
        #expect(look.hasFunctions && look.hasInlines)
    }
}
