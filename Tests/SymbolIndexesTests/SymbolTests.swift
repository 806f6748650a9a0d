import CallStacks
import IndexSupport
import SymbolIndexes
import Testing

@Suite struct SymbolTests {
    @Test("each part of a function has the name and the start of its own symbol")
    func hotAndCold() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("parse")
        function.ranges = [range(0x100, 0x140), range(0x800, 0x820)]
        builder.add(function)
        builder.addSymbol("parse", 0x100, 0x140)
        builder.addSymbol("parse.cold", 0x800, 0x820, rank: .local)
        let index = try index(builder)
        #expect(try index.function(at: 0x120) == "parse from 100")
        #expect(try index.function(at: 0x810) == "parse.cold from 800")
    }

    @Test("a label with a size names a part, one without does not")
    func labelledParts() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("press")
        function.ranges = [range(0x100, 0x140), range(0x800, 0x820)]
        builder.add(function)
        builder.addSymbol("a_label", 0x100, nil, rank: .label)
        builder.addSymbol("a_label", 0x800, nil, rank: .label)
        builder.addSymbol("press.cold", 0x800, 0x820, rank: .label)
        let index = try index(builder)
        #expect(try index.function(at: 0x100) == "press from 100")
        #expect(try index.function(at: 0x800) == "press.cold from 800")
    }

    @Test("an alias without a size ends where the code does", arguments: [false, true])
    func aliasWithoutSize(isBetter: Bool) throws {
        var builder = builder()
        builder.addSymbol("move", 0x100, 0x140, rank: isBetter ? .local : .global)
        builder.addSymbol("alias", 0x100, nil, rank: isBetter ? .global : .local)
        builder.addSymbol("next", 0x150, 0x160)
        let index = try index(builder)
        #expect(try index.function(at: 0x13f) == "\(isBetter ? "alias" : "move") from 100")
        #expect(try index.frames(at: ImageOffset(0x140)) == nil)
        #expect(try index.function(at: 0x150) == "next from 150")
    }

    @Test("folded code keeps the name of the function that it has the lines of")
    func foldedCode() throws {
        var builder = builder()
        for (order, name) in ["second", "third", "first"].enumerated() {
            var function = FunctionRecord()
            function.name = builder.name(name)
            function.ranges = [range(0x100, 0x140)]
            function.order = UInt64(order)
            function.rows = [builder.row(0x100, "\(name).c", 1)]
            builder.add(function)
        }
        #expect(
            try index(builder).frames(at: ImageOffset(0x110))?.frames.first?.text
                == "second /src/second.c:1:0")
        for name in ["alias", "third", "first"] { builder.addSymbol(name, 0x100, 0x140) }
        #expect(
            try index(builder).frames(at: ImageOffset(0x110))?.frames.first?.text
                == "third /src/third.c:1:0")
    }

    @Test("of functions with one start, the shortest wins, then the one with a symbol")
    func sameStart() throws {
        for base in [0, exampleImage.base.rawValue] {
            var image = exampleImage
            image.base = LinkAddress(base)
            var builder = SymbolIndexBuilder(
                image: image, layout: ImageLayout(base: image.base, code: [range(0, 0x2000)]))
            builder.addFunction("long", 0x1000, 0x1020)
            builder.addFunction("short", 0x1000, 0x1010)
            builder.addFunction("folded", 0x1000, 0x1010)
            builder.addSymbol("long", 0x1000, 0x1020)
            builder.addSymbol("folded", 0x1000, 0x1010)
            let index = try index(builder)
            for (offset, name) in [(0x1000, "folded"), (0x1010, "long")] as [(UInt64, String)] {
                #expect(
                    try index.frames(at: ImageOffset(offset))?.frames.first?.function == name)
            }
        }
    }

    @Test("of functions at address 0, the one with a symbol wins, and not the shortest")
    func removedFunctions() throws {
        var image = exampleImage
        image.base = LinkAddress(0)
        var builder = SymbolIndexBuilder(
            image: image, layout: ImageLayout(base: image.base, code: [range(0, 0x100)]))
        let functions = [("removed", 0x8), ("live", 0x40), ("other", 0x10)]
        for (order, (name, end)) in functions.enumerated() {
            var function = FunctionRecord()
            function.name = builder.name(name)
            function.ranges = [range(0, UInt64(end))]
            function.order = UInt64(order)
            function.rows = [builder.row(0, "\(name).c", 1)]
            builder.add(function)
        }
        builder.addSymbol("live", 0, 0x40)
        let index = try index(builder)
        for offset in [0, 0x8, 0x3f] as [UInt64] {
            #expect(
                try index.frames(at: ImageOffset(offset))?.frames.map(\.text)
                    == ["live /src/live.c:1:0"])
        }
    }

    @Test("code that only rows describe has lines and no name, from the first row with a line on")
    func rowsWithoutNames() throws {
        var builder = builder()
        builder.addFunction("c", 0x100, 0x110)
        builder.add(rowsWithoutFunction: [
            builder.row(0x100, "c.c", 1), builder.row(0x118, "c.c", 0),
            builder.row(0x120, "c.c", 3), builder.row(0x128, "c.c", 4), endRow(0x130),
        ])
        builder.add(rowsWithoutFunction: [builder.row(0x200, "start.S", 7), endRow(0x210)])
        let index = try index(builder)
        #expect(try index.function(at: 0x10f) == "c from 100")
        for padding in [0x110, 0x11f, 0x130, 0x210] {
            #expect(try index.frames(at: ImageOffset(UInt64(padding))) == nil)
        }
        let answer = try #require(try index.frames(at: ImageOffset(0x12f)))
        #expect(answer.frames.map(\.text) == ["- /src/c.c:4:0"])
        #expect(answer.functionStart == ImageOffset(0x120))
        let last = try index.frames(at: ImageOffset(0x20f))?.frames.first
        #expect(last?.text == "- /src/start.S:7:0")
    }

    @Test("assembly has lines under its symbol, padding is not found")
    func assembly() throws {
        var builder = builder()
        builder.addFunction("c", 0x100, 0x10c)
        builder.addSymbol("c", 0x100, 0x10c)
        builder.addSymbol("inside", 0x104, nil, rank: .label)
        builder.addSymbol("memcpy", 0x200, 0x240)
        builder.addSymbol("loop", 0x210, nil, rank: .label)
        builder.addSymbol("bare", 0x300, nil)
        builder.add(functionStart: ImageOffset(0x320))
        builder.add(rowsWithoutFunction: [
            builder.row(0x100, "c.c", 90), builder.row(0x200, "memcpy.S", 12), endRow(0x260),
        ])
        let index = try index(builder)
        #expect(try index.function(at: 0x108) == "c from 100")
        #expect(try index.frames(at: ImageOffset(0x10c)) == nil)
        #expect(
            try index.frames(at: ImageOffset(0x220))?.frames.map(\.text) == [
                "memcpy /src/memcpy.S:12:0"
            ])
        #expect(try index.frames(at: ImageOffset(0x250)) == nil)
        #expect(try index.frames(at: ImageOffset(0x31f))?.frames.map(\.text) == ["bare -:0:0"])
        #expect(try index.frames(at: ImageOffset(0x320)) == nil)
    }

    @Test("a name reserved for assemblers counts only where no other symbol has its address")
    func assemblerLocals() throws {
        var builder = builder()
        builder.addSymbol("L9", 0x100, nil, rank: .assemblerLocal)
        builder.addSymbol("x", 0x100, nil, rank: .local)
        builder.addSymbol("ltmp1", 0x140, nil, rank: .assemblerLocal)
        let index = try index(builder)
        #expect(try index.function(at: 0x108) == "x from 100")
        #expect(try index.function(at: 0x148) == "ltmp1 from 140")
    }

    @Test("padding after a function belongs to its symbol if symbols have no size")
    func paddingOfSymbolWithoutSize() throws {
        var builder = builder()
        builder.addFunction("c", 0x100, 0x10c)
        builder.addSymbol("c", 0x100, nil)
        builder.addFunction("next", 0x110, 0x120)
        let index = try index(builder)
        let last = try #require(try index.frames(at: ImageOffset(0x10b))?.frames.first)
        #expect(last.line != 0)
        #expect(try index.frames(at: ImageOffset(0x10c))?.frames.map(\.text) == ["c -:0:0"])
        #expect(try index.function(at: 0x10f) == "c from 100")
        #expect(try index.function(at: 0x110) == "next from 110")
    }

    @Test(
        "calls nest up to 512 deep; deeper ones are dropped with a warning", arguments: [512, 513])
    func deepestCalls(depth: Int) throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("f")
        function.ranges = [range(0x100, 0x200)]
        for level in 0..<depth {
            function.calls.append(
                InlinedCall(
                    name: builder.name("g\(level)"), parent: level == 0 ? nil : level - 1,
                    site: .none))
            function.intervals.append(InlinedInterval(range: range(0x100, 0x180), call: level))
        }
        builder.add(function)
        let index = try index(builder)
        let frames = try index.frames(at: ImageOffset(0x110))?.frames
        #expect(frames?.count == (depth == 512 ? 513 : 1))
        #expect(frames?.last?.function == "f")
        #expect(try index.notes().warnings.count == depth - 512)
    }

    @Test("invalid references in records are treated as none")
    func badReferences() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = NameNumber(rawValue: 99)
        function.ranges = [range(0x100, 0x200), range(0x200, 0x200)]
        function.calls = [
            InlinedCall(name: nil, parent: 0, site: .none),
            InlinedCall(
                name: nil, parent: -4,
                site: SourcePosition(file: FileNumber(rawValue: 7), line: 1, column: 1)),
        ]
        function.intervals = [
            InlinedInterval(range: range(0x100, 0x110), call: 0),
            InlinedInterval(range: range(0x120, 0x130), call: 1),
            InlinedInterval(range: range(0x100, 0x110), call: 2),
            InlinedInterval(range: range(0x100, 0x110), call: -1),
        ]
        builder.add(function)
        let index = try index(builder)
        #expect(
            try index.frames(at: ImageOffset(0x108))?.frames.map(\.text) == [
                "[inlined] - -:0:0", "- -:0:0",
            ])
        #expect(
            try index.frames(at: ImageOffset(0x128))?.frames.map(\.text) == [
                "[inlined] - -:0:0", "- -:1:1",
            ])
    }
}

extension SymbolIndex {
    fileprivate func function(at offset: UInt64) throws -> String? {
        guard let answer = try frames(at: ImageOffset(offset)), let frame = answer.frames.last
        else { return nil }
        return "\(frame.function ?? "-") from \(String(answer.functionStart.rawValue, radix: 16))"
    }
}
