import ByteReading
import CallStacks
import IndexSupport
import SymbolIndexes
import Testing

@Suite struct RoundTripTests {
    @Test("an offset in an inlined call within a function results in both frames")
    func inlinedCall() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("main")
        function.ranges = [range(0x1000, 0x1040)]
        function.calls = [
            InlinedCall(
                name: builder.name("helper"), parent: nil, site: builder.position("main.c", 11, 3))
        ]
        function.intervals = [InlinedInterval(range: range(0x1010, 0x1020), call: 0)]
        function.rows = [
            builder.row(0x1000, "main.c", 10, 1), builder.row(0x1010, "util.c", 5, 9),
            builder.row(0x1020, "main.c", 12, 300), endRow(0x1040),
        ]
        builder.add(function)
        let index = try index(builder, notes: IndexNotes(producers: ["cc"], unitsRead: 1))
        let answer = try #require(try index.frames(at: ImageOffset(0x1017)))
        #expect(
            answer.frames.map(\.text)
                == ["[inlined] helper /src/util.c:5:9", "main /src/main.c:11:3"])
        #expect(answer.functionStart == ImageOffset(0x1000))
        #expect(
            try index.frames(at: ImageOffset(0x103f))?.frames.map(\.text)
                == ["main /src/main.c:12:300"])
        #expect(try index.frames(at: ImageOffset(0xfff)) == nil)
        #expect(try index.frames(at: ImageOffset(0x1040)) == nil)
        #expect(index.image == exampleImage)
        #expect(try index.notes().producers == ["cc"])
        #expect(index.flags == [.lines, .inlines, .columns])
    }
}
