import ByteReading
import CallStacks
import IndexSupport
import Testing

@testable import SymbolIndexes

@Suite struct LimitTests {
    @Test("as many entries as the limit, and one more")
    func entries() throws {
        for (count, isTooMany) in [(10, false), (11, true)] {
            var builder = builder()
            builder.entryLimit = 11
            for number in 0..<UInt64(count) {
                builder.addFunction("f", number * 8, number * 8 + 8, line: UInt32(number))
            }
            // The gap after the last function is an entry too.
            expect(builder, isTooMany: isTooMany, of: "entries", limit: 11)
        }
    }

    @Test("more staged entries than the limit are neither added nor merged")
    func stagedEntries() throws {
        var builder = builder()
        builder.entryLimit = 3
        for number in 0..<UInt64(4) { builder.addFunction("f", number * 8, number * 8 + 8) }
        #expect(builder.entryCount == 3)
        expect(builder, isTooMany: true, of: "entries", limit: 3)
        var first = SymbolIndexesTests.builder()
        first.entryLimit = 3
        var second = first
        for number in 0..<UInt64(2) {
            first.addFunction("f", number * 8, number * 8 + 8)
            second.addFunction("g", 0x100 + number * 8, 0x108 + number * 8)
        }
        first.merge(second)
        expect(first, isTooMany: true, of: "entries", limit: 3)
    }

    @Test("as many scopes as the limit, and one more")
    func scopes() throws {
        for (count, isTooMany) in [(5, false), (6, true)] {
            var builder = builder()
            builder.scopeLimit = 5
            for number in 0..<UInt64(count) {
                builder.addFunction("f", number * 8, number * 8 + 8)
            }
            expect(builder, isTooMany: isTooMany, of: "scopes", limit: 5)
        }
    }

    @Test("a full table of texts reports it, and still finds its texts")
    func texts() {
        var texts = ByteInterner(bytesLimit: 6)
        func number(of text: String) -> UInt32 {
            let bytes = Array(text.utf8)
            return texts.number(of: bytes.span)
        }
        #expect(["", "abc", "def"].map { number(of: $0) } == [0, 1, 2])
        #expect(!texts.isFull)
        #expect(number(of: "g") == 0)
        #expect(texts.isFull)
        #expect(number(of: "def") == 2)
    }

    @Test("the nearest line is searched only up to the limit of entries")
    func nearestLine() throws {
        let reach = IndexLimits.nearestLineEntries
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("f")
        function.ranges = [range(0, UInt64(reach) + 2)]
        function.rows = [builder.row(0, "a.c", 5)]
        for offset in 1...(UInt64(reach) + 1) {
            function.rows.append(builder.row(offset, "a.c", 0, UInt32(offset % 2) + 1))
        }
        builder.add(function)
        let index = try index(builder)
        #expect(try index.nearestLine(at: ImageOffset(UInt64(reach)), depth: 0)?.line == 5)
        #expect(try index.nearestLine(at: ImageOffset(UInt64(reach) + 1), depth: 0) == nil)
    }

    @Test("in deeply inlined code the nearest line is searched in fewer entries")
    func nearestLineOfDeepCalls() throws {
        let depth = 100
        let reach = UInt64(IndexLimits.searchedScopes / (depth + 1))
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("f")
        function.ranges = [range(0, 2 * reach)]
        function.rows = [builder.row(0, "a.c", 5)]
        for offset in 1..<2 * reach {
            function.rows.append(builder.row(offset, "a.c", 0, UInt32(offset % 2) + 1))
        }
        for level in 0..<depth {
            let parent = level == 0 ? nil : level - 1
            function.calls.append(InlinedCall(name: nil, parent: parent, site: .none))
            function.intervals.append(InlinedInterval(range: range(1, 2 * reach), call: level))
        }
        builder.add(function)
        let index = try index(builder)
        #expect(try index.nearestLine(at: ImageOffset(reach - 8), depth: depth)?.line == 5)
        #expect(try index.nearestLine(at: ImageOffset(reach + 8), depth: depth) == nil)
    }

    @Test("an index with a cycle of calls is refused after a limited number of steps")
    func endlessChain() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("f")
        function.ranges = [range(0, 8)]
        for level in 0..<3 {
            function.calls.append(
                InlinedCall(name: nil, parent: level == 0 ? nil : level - 1, site: .none))
            function.intervals.append(InlinedInterval(range: range(0, 8), call: level))
        }
        builder.add(function)
        var bytes = try builder.encode(notes: IndexNotes())
        let scopes = try SymbolIndex(FileBytes(bytes)).header[.scopes]
        // The function now also claims to be inlined into the scope before it.
        bytes[Int(scopes.offset)] |= 1
        let index = try SymbolIndex(FileBytes(repaired(bytes)))
        let error = #expect(throws: SymbolIndexError.self) {
            try index.frames(at: ImageOffset(4))
        }
        #expect(error?.reason == .corrupt(.scopes, at: 0))
    }

    private func expect(
        _ builder: SymbolIndexBuilder, isTooMany: Bool, of what: String, limit: UInt64
    ) {
        let expected: SymbolIndexError.Reason? =
            isTooMany ? .tooLarge(what: what, limit: limit) : nil
        var reason: SymbolIndexError.Reason?
        do {
            _ = try builder.encode(notes: IndexNotes())
        } catch { reason = error.reason }
        #expect(reason == expected)
    }
}
