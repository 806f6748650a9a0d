import ByteReading
import CallStacks
import IndexSupport
import SymbolIndexes
import TestSupport
import Testing

@Suite struct NameTests {
    @Test("groups of names that are partly filled or full", arguments: [1, 7, 8, 9, 16, 17])
    func groups(count: Int) throws {
        let shared = String(repeating: "_ZN4Shop", count: 25)
        let names = (0..<count).map { "\(shared)\($0 * 37 % 101)\($0 % 3 == 0 ? "" : "Ev")" }
        try expectRoundTrip(names.map { Array($0.utf8) })
    }

    @Test("names of random bytes, the empty one and zeros included", arguments: UInt64(0)..<20)
    func randomNames(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let names = (0..<200).map { _ in
            (0..<Int.random(in: 1...20, using: &numbers)).map { _ in
                [0, 0x41, 0xff].randomElement(using: &numbers)! as UInt8
            }
        }
        try expectRoundTrip(names)
    }

    @Test("a name of 64 KiB is kept, a longer one is truncated")
    func longestName() throws {
        let limit = [UInt8](repeating: 0x61, count: IndexLimits.nameBytes)
        try expectRoundTrip([limit, limit.dropLast() + [0x62]])
        let index = try namedIndex([limit + [0x63]])
        #expect(try index.frames(at: ImageOffset(0))?.frames.first?.function?.utf8.count == 1 << 16)
    }

    @Test("a folder of 4 KiB is kept, and a longer one or one with a zero is truncated")
    func longestPath() throws {
        let limit = String(repeating: "d", count: IndexLimits.pathBytes)
        for (folder, kept) in [(limit, limit), (limit + "d", limit), ("a\0b", "a")] {
            var builder = builder()
            var function = FunctionRecord()
            function.ranges = [range(0, 8)]
            let file = builder.file("f.c", in: folder)
            function.rows = [
                LineRow(
                    start: ImageOffset(0),
                    position: SourcePosition(file: file, line: 1, column: 0))
            ]
            builder.add(function)
            let frame = try index(builder).frames(at: ImageOffset(4))?.frames.first
            #expect(frame?.file == SourceFile(folder: kept, name: "f.c"))
            #expect(frame?.function == nil)
        }
    }

    /// Checks that each name is found as that of a function.
    private func expectRoundTrip(_ names: [[UInt8]]) throws {
        let index = try namedIndex(names)
        for (number, name) in names.enumerated() {
            let frame = try index.frames(at: ImageOffset(UInt64(number) * 8 + 4))?.frames.first
            #expect(frame?.function == String(decoding: name, as: UTF8.self))
        }
    }

    private func namedIndex(_ names: [[UInt8]]) throws -> SymbolIndex {
        var builder = builder()
        for (number, name) in names.enumerated() {
            var function = FunctionRecord()
            function.name = builder.number(ofName: name.span)
            function.ranges = [range(UInt64(number) * 8, UInt64(number) * 8 + 8)]
            builder.add(function)
        }
        return try index(builder)
    }
}
