import ByteReading
import CallStacks
import IndexSupport
import Testing

@testable import SymbolIndexes

@Suite struct EntryTests {
    @Test(
        "blocks that are empty, full or partly filled",
        arguments: [0, 1, 30, 31, 32, 33, 63, 64, 65])
    func blocks(rowCount: Int) throws {
        var builder = builder()
        var function = FunctionRecord()
        function.name = builder.name("f")
        let end = 0x100 + UInt64(rowCount) * 6
        if rowCount > 0 { function.ranges = [range(0x100, end)] }
        for row in 0..<rowCount {
            function.rows.append(builder.row(0x100 + UInt64(row) * 6, "a.c", UInt32(row * 50 + 1)))
        }
        builder.add(function)
        let index = try index(builder)
        #expect(index.header.shape.counts.entries == (rowCount == 0 ? 0 : rowCount + 1))
        #expect(try index.frames(at: ImageOffset(0)) == nil)
        #expect(try index.frames(at: ImageOffset(0xff)) == nil)
        #expect(try index.frames(at: ImageOffset(end)) == nil)
        #expect(try index.frames(at: ImageOffset(.max)) == nil)
        for offset in 0x100..<end {
            let line = try index.frames(at: ImageOffset(offset))?.frames.first?.line
            #expect(line == UInt32((offset - 0x100) / 6 * 50 + 1))
        }
    }

    @Test(
        "the files of a function are read once, however many functions interrupt it",
        .timeLimit(.minutes(1)))
    func manyFiles() throws {
        let count: UInt64 = 30_000
        var builder = builder(codeSize: 8 * count)
        var outer = FunctionRecord()
        outer.name = builder.name("outer")
        outer.ranges = [range(0, 8 * count)]
        for number in 0..<count {
            outer.rows.append(builder.row(8 * number, "\(number).c", 1))
            builder.addFunction("inner", 8 * number + 4, 8 * number + 6)
        }
        builder.add(outer)
        let index = try index(builder)
        for number in [0, 1, count / 2, count - 1] {
            let answer = try index.frames(at: ImageOffset(8 * number + 6))
            #expect(answer?.frames.map(\.text) == ["outer /src/\(number).c:1:0"])
        }
    }

    @Test(
        "changes of lines, distances, files and calls with numbers of one to five bytes",
        arguments: [1, 31, 32, 8_191, 8_192, 1_048_575, 1_048_576, UInt32.max / 200])
    func distances(step: UInt32) throws {
        let distances: [UInt64] = [1, 127, 128, 20_000]
        var builder = builder(codeSize: 0x100_0000)
        var start: UInt64 = 0
        for number in 0..<UInt32(200) {
            let end = start + distances[Int(number * 7 / 3 % 4)]
            var function = FunctionRecord()
            function.name = builder.name("f\(number)")
            function.ranges = [range(start, end)]
            function.rows = [builder.row(start, "\(number * 37 % 193).c", number * 73 % 200 * step)]
            builder.add(function)
            start = end + (number % 3 == 0 ? 1 : 0)
        }
        let index = try index(builder)
        start = 0
        for number in 0..<UInt32(200) {
            let end = start + distances[Int(number * 7 / 3 % 4)]
            for offset in [start, end - 1] {
                let frame = try index.frames(at: ImageOffset(offset))?.frames.first
                #expect(frame?.function == "f\(number)")
                #expect(frame?.file?.name == "\(number * 37 % 193).c")
                #expect(frame?.line == number * 73 % 200 * step)
            }
            start = end
            if number % 3 == 0 {
                #expect(try index.frames(at: ImageOffset(start)) == nil)
                start += 1
            }
        }
    }

    @Test("columns of any width", arguments: [0, 1, 254, 255, 256, 65_535, UInt32.max])
    func columns(column: UInt32) throws {
        var builder = builder()
        for start in stride(from: UInt64(0), to: 400, by: 10) {
            builder.addFunction("f", start, start + 10, column: start == 200 ? column : 3)
        }
        let index = try index(builder)
        #expect(try index.frames(at: ImageOffset(205))?.frames.first?.column == column)
        #expect(try index.frames(at: ImageOffset(215))?.frames.first?.column == 3)
    }

    @Test(
        "calls in columns of any width; beyond 65,535, or without room, in none",
        arguments: [
            (1, 7, 255, 255), (1, 7, 65_535, 65_535), (1, 7, 65_536, 0),
            (65_535, .max, 65_535, 65_535), (65_536, .max, 65_535, 0),
        ] as [(Int, UInt32, UInt32, UInt32)])
    func callColumns(files: Int, line: UInt32, column: UInt32, expected: UInt32) throws {
        var builder = builder(codeSize: 0x20000)
        var function = FunctionRecord()
        function.name = builder.name("f")
        function.ranges = [range(0, UInt64(files))]
        for number in 0..<files {
            let site = builder.row(0, "\(number).c", line, column).position
            function.calls.append(InlinedCall(name: nil, parent: nil, site: site))
            function.intervals.append(
                InlinedInterval(
                    range: range(UInt64(number), UInt64(number) + 1), call: number))
        }
        function.rows = [builder.row(0, "0.c", 1)]
        builder.add(function)
        let frames = try index(builder).frames(at: ImageOffset(0))?.frames
        #expect(frames?.map(\.line) == [1, line])
        #expect(frames?.map(\.column) == [0, expected])
    }

    @Test("lines at both ends of the range of numbers")
    func lines() throws {
        var builder = builder()
        let lines: [UInt32] = [1, .max, 0, .max, 1, 31, 62, 1, 32, 0]
        for (index, line) in lines.enumerated() {
            builder.addFunction("f\(index)", UInt64(index) * 4, UInt64(index) * 4 + 4, line: line)
        }
        let index = try index(builder)
        for (number, line) in lines.enumerated() {
            let place = ImageOffset(UInt64(number) * 4)
            #expect(try index.frames(at: place)?.frames.first?.line == line)
        }
    }

    @Test("code with holes of a mebibyte, and beyond four gibibytes")
    func holes() throws {
        var builder = builder(codeSize: .max)
        let starts = (0..<300).map { UInt64($0) << 20 | 0x40 } + [1 << 32, 1 << 45]
        for start in starts { builder.addFunction("f\(start)", start, start + 8) }
        let index = try index(builder)
        #expect(index.flags.contains(.wideStarts))
        for start in starts {
            #expect(try index.frames(at: ImageOffset(start - 1)) == nil)
            #expect(try index.frames(at: ImageOffset(start))?.frames.first?.function == "f\(start)")
            #expect(try index.frames(at: ImageOffset(start))?.functionStart.rawValue == start)
            #expect(try index.frames(at: ImageOffset(start + 7)) != nil)
            #expect(try index.frames(at: ImageOffset(start + 8)) == nil)
        }
    }

    @Test("code at the very end of the address space")
    func lastBytes() throws {
        var builder = builder(codeSize: .max)
        builder.addFunction("last", .max - 8, .max)
        let index = try index(builder)
        #expect(try index.frames(at: ImageOffset(.max - 9)) == nil)
        #expect(try index.frames(at: ImageOffset(.max - 8)) != nil)
        #expect(try index.frames(at: ImageOffset(.max - 1)) != nil)
        #expect(try index.frames(at: ImageOffset(.max)) == nil)
    }

    @Test("more than eight blocks in one bucket")
    func crowdedBucket() throws {
        var builder = builder()
        for start in UInt64(0)..<1000 { builder.addFunction("f\(start % 7)", start, start + 1) }
        let index = try index(builder)
        for start in UInt64(0)..<1000 {
            let answer = try index.frames(at: ImageOffset(start))
            #expect(answer?.functionStart.rawValue == start)
            #expect(answer?.frames.first?.function == "f\(start % 7)")
        }
    }

    @Test("one odd start makes the address scale 0")
    func scale() throws {
        var builder = builder()
        builder.addFunction("even", 0x100, 0x200)
        #expect(try index(builder).dump().contains("\nscale 2\n"))
        builder.addFunction("odd", 0x201, 0x204)
        let index = try index(builder)
        #expect(try index.dump().contains("\nscale 0\n"))
        #expect(try index.frames(at: ImageOffset(0x200)) == nil)
        #expect(try index.frames(at: ImageOffset(0x201))?.functionStart == ImageOffset(0x201))
    }
}

extension SymbolIndexBuilder {
    mutating func addFunction(
        _ text: String, _ start: UInt64, _ end: UInt64, line: UInt32 = 7, column: UInt32 = 0
    ) {
        var function = FunctionRecord()
        function.name = name(text)
        function.ranges = [range(start, end)]
        function.rows = [row(start, "a.c", line, column)]
        add(function)
    }
}
