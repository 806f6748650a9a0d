import ByteReading
import CallStacks
import IndexSupport
import SymbolIndexes
import TestSupport
import Testing

@Suite struct SlowSearchTests {
    @Test(
        "an index has the same results as a slow search over its records",
        arguments: UInt64(0)..<200)
    func answers(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let model = CodeModel.random(&numbers)
        let index = try index(model.builder(of: model.records))
        let search = SlowSearch(model: model)
        try index.verify()
        for offset in 0..<(model.code[1].upperBound + 5) {
            let answer = try index.frames(at: ImageOffset(offset))
            let expected = search.answer(at: offset)
            #expect(
                answer?.frames == expected.map { frames(of: $0) },
                "seed \(seed), offset \(offset)")
            #expect(answer?.functionStart.rawValue == expected?.functionStart)
        }
    }

    @Test("an inlined call starts where a search byte by byte first finds it", arguments: 0..<100)
    func callStarts(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed &+ 2_000)
        let model = CodeModel.random(&numbers)
        let index = try index(model.builder(of: model.records))
        let search = SlowSearch(model: model)
        for offset in stride(from: 0, to: model.code[1].upperBound, by: 3) {
            let starts = try index.callStarts(at: ImageOffset(offset))
            #expect(starts.map(\.rawValue) == search.callStarts(at: offset), "offset \(offset)")
        }
    }

    @Test("the nearest line is the one a search byte by byte finds", arguments: UInt64(0)..<100)
    func nearestLines(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed &+ 1_000)
        let model = CodeModel.random(&numbers)
        let index = try index(model.builder(of: model.records))
        let search = SlowSearch(model: model)
        for offset in stride(from: 0, to: model.code[1].upperBound, by: 3) {
            let depth = Int.random(in: 0...3, using: &numbers)
            let frame = try index.nearestFrame(at: ImageOffset(offset), depth: depth)
            let expected = search.nearestLine(at: offset, depth: depth)
            #expect(frame?.function == expected?.name)
            #expect(
                frame.map { CodeModel.Location($0) } == expected?.location,
                "seed \(seed), offset \(offset), depth \(depth)")
        }
    }

    @Test("the bytes depend on the records alone", arguments: UInt64(0)..<200)
    func anyOrder(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        let model = CodeModel.random(&numbers)
        let bytes = try model.builder(of: model.records).encode(notes: IndexNotes())
        let shuffled = model.records.shuffled(using: &numbers)
        #expect(try model.builder(of: shuffled).encode(notes: IndexNotes()) == bytes)
        let shares = (0..<3).map { part in
            model.builder(of: shuffled.enumerated().filter { $0.offset % 3 == part }.map(\.element))
        }
        #expect(
            try await SymbolIndexBuilder.encode(shares, notes: IndexNotes()) == bytes)
        // Merged in two steps, and into an empty builder.
        var (first, second) = (model.emptyBuilder, shares[2])
        second.merge(shares[0])
        first.merge(second)
        first.merge(shares[1])
        #expect(try first.encode(notes: IndexNotes()) == bytes)
    }

    private func frames(of answer: SlowSearch.Answer) -> [SourceFrame] {
        zip(0..., answer.frames).map { depth, frame in
            SourceFrame(
                function: frame.name,
                file: frame.location.file.map { SourceFile(folder: "/src", name: $0) },
                line: frame.location.line, column: frame.location.column,
                isInlined: depth + 1 < answer.frames.count)
        }
    }
}

extension CodeModel.Location {
    init(_ frame: SourceFrame) {
        self.init(file: frame.file?.name, line: frame.line, column: frame.column)
    }
}
