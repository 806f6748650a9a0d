import CallStacks
import IndexSupport
import Symbolication
import TestSupport
import Testing

@Suite("Inline expansion of any tree")
struct ExpansionPropertyTests {
    @Test(
        "keeps own samples, physical frames, parents and the heaviest path",
        arguments: UInt64(0)..<100)
    func sampled(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        let tree = anyTree(&numbers)
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .hang, tree: tree), with: [.shop: anySymbols(&numbers)])

        let before = OwnSamples(tree.frames.map { ($0.parent, $0.samples ?? 0) })
        let after = OwnSamples(result.frames.map { ($0.parent, $0.samples ?? 0) })
        #expect(before.total == after.total)
        #expect(after.total == before.rootTotal)
        #expect(Set(result.frames.map(\.physical)) == Set(tree.frames.indices))
        #expect(result.frames.count { !$0.isInlined } == tree.frames.count)
        for (row, frame) in result.frames.enumerated() {
            #expect(frame.parent.map { $0 < row } ?? true)
        }
        let path = result.representativeFrames.reversed().compactMap {
            result.frames.dropFirst($0).first?.physical
        }
        #expect(path.withoutRepeats == heaviestPath(of: tree))
    }

    @Test("keeps every caller above its callee", arguments: UInt64(0)..<50)
    func linear(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        let frames = (0..<Int.random(in: 1...30, using: &numbers)).map { _ in
            CallFrame.at(UInt64.random(in: 0..<1024, using: &numbers))
        }
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: .thread(frames)),
            with: [.shop: anySymbols(&numbers)])
        try #require(!result.frames.isEmpty)
        #expect(result.frames.map(\.parent) == [nil] + (0..<result.frames.count - 1).map { $0 })
        #expect(result.frames.map(\.physical).withoutRepeats == Array(frames.indices))
        for (frame, next) in zip(result.frames, result.frames.dropFirst()) where frame.isInlined {
            #expect(frame.physical == next.physical)
        }
    }

    @Test("symbolicating twice equals once", arguments: UInt64(0)..<20)
    func twice(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        let tree = anyTree(&numbers)
        let symbols = [ImageID.shop: anySymbols(&numbers)]
        let diagnostic = Diagnostic(kind: .cpuException, tree: tree)
        let once = try await Symbolicator.symbolicated(diagnostic, with: symbols)
        var again = diagnostic
        again.tree.frames = physicalFrames(of: once, form: tree)
        #expect(try await Symbolicator.symbolicated(again, with: symbols) == once)
    }

    /// Returns a tree of up to 60 frames and 3 roots, whose counts add up.
    private func anyTree(_ numbers: inout SplitMix64) -> CallStackTree {
        var frames: [CallFrame] = []
        let count = Int.random(in: 1...60, using: &numbers)
        for index in 0..<count {
            let isRoot = index == 0 || Int.random(in: 0..<20, using: &numbers) == 0
            let parent = isRoot ? nil : Int.random(in: max(0, index - 4)..<index, using: &numbers)
            let offset = UInt64.random(in: 0..<1024, using: &numbers)
            frames.append(.at(offset, parent: parent, samples: 0))
        }
        for index in frames.indices.reversed() {
            let own = UInt64.random(in: 0...5, using: &numbers)
            let samples = (frames[index].samples ?? 0) + own
            frames[index].samples = samples
            if let parent = frames[index].parent {
                frames[parent].samples = (frames[parent].samples ?? 0) + samples
            }
        }
        return .samples(frames)
    }

    /// Returns functions with up to four inlined calls over most of the first kilobyte.
    private func anySymbols(_ numbers: inout SplitMix64) -> KnownSymbols {
        var symbols = KnownSymbols()
        for start in stride(from: UInt64(0), to: 1024, by: 64) where start % 320 != 0 {
            let depth = Int.random(in: 1...5, using: &numbers)
            let frames = (0..<depth).map { SourceFrame.at("f\(start).\($0)", line: UInt32($0)) }
            symbols.functions.append(.init(range: start..<start + 64, frames: frames))
        }
        return symbols
    }

    /// Returns the physical frames of a symbolicated diagnostic, reconstructed from its rows.
    private func physicalFrames(
        of result: SymbolicatedDiagnostic, form tree: CallStackTree
    ) -> [CallFrame] {
        result.frames.filter { !$0.isInlined }.map { row in
            CallFrame(
                image: row.image, imageName: row.imageName,
                site: row.offset.map { .programCounter($0) }, address: row.address,
                loadAddress: row.loadAddress, samples: row.samples,
                parent: row.parent.flatMap { result.frames.dropFirst($0).first?.physical },
                remarks: row.remarks)
        }
    }

    /// Returns the path by the plainest form of the rule, over physical frames.
    private func heaviestPath(of tree: CallStackTree) -> [Int] {
        func samples(_ index: Int) -> UInt64 { tree.frames[index].samples ?? 0 }
        func heaviest(_ indices: [Int]) -> Int? {
            indices.first { index in indices.allSatisfy { samples($0) <= samples(index) } }
        }
        var path: [Int] = []
        var next = heaviest(tree.frames.indices.filter { tree.frames[$0].parent == nil })
        while let index = next {
            path.append(index)
            let children = tree.frames.indices.filter { tree.frames[$0].parent == index }
            let own = samples(index) - children.map(samples).reduce(0, +)
            next = heaviest(children).flatMap { own > samples($0) ? nil : $0 }
        }
        return path
    }
}

/// The samples of each row that belong to none of its children.
private struct OwnSamples {
    var total: UInt64 = 0
    var rootTotal: UInt64 = 0

    init(_ rows: [(parent: Int?, samples: UInt64)]) {
        var own = rows.map(\.samples)
        for row in rows {
            if let parent = row.parent {
                guard own.indices.contains(parent), own[parent] >= row.samples else {
                    Issue.record("row \(parent) has fewer samples than the rows below it")
                    continue
                }
                own[parent] -= row.samples
            } else {
                rootTotal += row.samples
            }
        }
        total = own.reduce(0, +)
    }
}

extension [Int] {
    fileprivate var withoutRepeats: [Int] {
        reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}
