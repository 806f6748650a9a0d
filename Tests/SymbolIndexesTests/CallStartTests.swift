import CallStacks
import SymbolIndexes
import Testing

@Suite struct CallStartTests {
    /// Returns an index with `press` from 0x100 to 0x180, `squeeze` in two ranges of it and `turn`
    /// in the first.
    private func pressIndex() throws -> SymbolIndex {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("press")
        function.ranges = [range(0x100, 0x180)]
        function.rows = [0x100, 0x118, 0x124, 0x130, 0x150].map { builder.row($0, "press.c", 1) }
        function.calls = [
            InlinedCall(
                name: builder.name("squeeze"), parent: nil,
                site: builder.position("press.c", 7)),
            InlinedCall(
                name: builder.name("turn"), parent: 0, site: builder.position("press.c", 8)),
        ]
        function.intervals = [
            InlinedInterval(range: range(0x110, 0x130), call: 0),
            InlinedInterval(range: range(0x140, 0x160), call: 0),
            InlinedInterval(range: range(0x120, 0x128), call: 1),
        ]
        builder.add(function)
        return try index(builder)
    }

    private func starts(at offset: UInt64) throws -> [UInt64] {
        try pressIndex().callStarts(at: ImageOffset(offset)).map(\.rawValue)
    }

    @Test("an inlined call starts at the start of its range that contains the offset")
    func pieces() throws {
        #expect(try starts(at: 0x12c) == [0x110])
        #expect(try starts(at: 0x15c) == [0x140])
        #expect(try starts(at: 0x127) == [0x120, 0x110])
    }

    @Test("code without inlined calls has no call starts")
    func none() throws {
        #expect(try starts(at: 0x100).isEmpty)
        #expect(try starts(at: 0x138).isEmpty)
        #expect(try starts(at: 0x800).isEmpty)
    }
}
