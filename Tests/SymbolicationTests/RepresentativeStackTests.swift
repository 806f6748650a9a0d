import CallStacks
import Symbolication
import Testing

@Suite("Representative stack")
struct RepresentativeStackTests {
    @Test("is the first attributed one with frames, or else the first with frames")
    func linear() async throws {
        #expect(try await rows(.threads, [(0..<1, false), (1..<1, true), (1..<3, true)]) == [1])
        #expect(try await rows(.threads, [(0..<0, true), (0..<1, false), (1..<3, false)]) == [0])
        #expect(try await rows(.threads, [(0..<0, true)]) == [])
        #expect(try await rows(.threads, []) == [])
    }

    @Test("of sampled stacks is the one with the heaviest root, unless one is attributed")
    func sampled() async throws {
        let samples: [UInt64] = [5, 4, 9]
        let lists: [(Range<Int>, Bool)] = [(0..<2, false), (2..<3, false)]
        #expect(try await rows(.sampled, lists, samples: samples) == [2])
        #expect(try await rows(.sampled, [(0..<2, true), (2..<3, false)], samples: samples) == [0])
    }

    @Test("takes the earlier of two equally heavy branches")
    func ties() async throws {
        #expect(
            try await rows(.sampled, [(0..<3, false)], samples: [6, 3, 3], parents: [nil, 0, 0])
                == [1, 0])
        #expect(
            try await rows(.sampled, [(0..<2, false)], samples: [4, 4], parents: [nil, nil]) == [0])
    }

    @Test("stops where own samples exceed every branch, and not where they are equal")
    func ownSamples() async throws {
        #expect(
            try await rows(.sampled, [(0..<2, false)], samples: [7, 3], parents: [nil, 0]) == [0])
        #expect(
            try await rows(.sampled, [(0..<2, false)], samples: [6, 3], parents: [nil, 0])
                == [1, 0])
    }

    @Test("continues if callees have more samples than their caller")
    func inconsistent() async throws {
        #expect(
            try await rows(
                .sampled, [(0..<3, false)], samples: [2, .max, .max], parents: [nil, 0, 0])
                == [1, 0])
    }

    /// Returns the representative rows of at most three frames, split into stacks.
    private func rows(
        _ form: CallStackTree.Form, _ stacks: [(rows: Range<Int>, isAttributed: Bool)],
        samples: [UInt64?] = [nil, nil, nil], parents: [Int?] = [nil, nil, nil]
    ) async throws -> [Int] {
        let frames = zip(samples, parents).map { CallFrame.at(4, parent: $1, samples: $0) }
        let tree = CallStackTree(
            form: form,
            stacks: stacks.enumerated().map {
                CallStack(index: $0, isAttributed: $1.isAttributed, frames: $1.rows)
            }, frames: frames)
        let none: [ImageID: KnownSymbols] = [:]
        return try await Symbolicator.symbolicated(Diagnostic(kind: .hang, tree: tree), with: none)
            .representativeFrames
    }
}
