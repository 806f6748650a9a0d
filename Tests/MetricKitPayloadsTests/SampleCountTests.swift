import CallStacks
import MetricKitPayloads
import TestSupport
import Testing

@Suite("Sample counts")
struct SampleCountTests {
    private func hang(_ text: String) throws -> CallStackTree {
        try resolved(text, as: "hangDiagnostics").tree
    }

    @Test("are kept, and two equal roots stay two trees")
    func kept() throws {
        let root = frame(6659, at: 0x1_0000_1a04, samples: 92)
        let tree = try hang(tree([root, root]))
        #expect(tree.frames.map(\.samples) == [92, 92])
        #expect(tree.frames.map(\.parent) == [nil, nil])
        #expect(tree.frames.allSatisfy { $0.remarks.isEmpty })
    }

    @Test("that exceed the parent's are marked and not changed")
    func inconsistent() throws {
        let tree = try hang(
            tree([frame(64, samples: 3, [frame(32, samples: 2), frame(16, samples: 2)])]))
        #expect(tree.frames.map(\.samples) == [3, 2, 2])
        #expect(tree.frames.map(\.remarks) == [[.sampleCountInconsistent], [], []])
    }

    @Test("that are missing are the sum of the children's, or 1")
    func missing() throws {
        let inner = frame(32, [frame(16), frame(20, samples: 4)])
        let tree = try hang(tree([frame(64, [inner, frame(24, samples: 0)])]))
        #expect(tree.frames.map(\.samples) == [5, 5, 1, 4, 0])
        #expect(
            tree.frames.map { $0.remarks.contains(.sampleCountMissing) } == [
                true, true, true, false, false,
            ])
    }

    @Test("do not overflow")
    func overflow() throws {
        let leaf = frame(32, samples: .max)
        let tree = try hang(tree([frame(64, [leaf, leaf])]))
        try #require(!tree.frames.isEmpty)
        #expect(tree.frames[0].samples == .max)
    }

    @Test("are omitted from linear stacks")
    func unweighted() throws {
        let crash = try resolved(tree([frame(64, samples: 1)]), as: "crashDiagnostics")
        try #require(!crash.tree.frames.isEmpty)
        #expect(crash.tree.frames[0].samples == nil)
    }

    @Test("of a flat list are lost with its branches; it is split after each exact frame")
    func flat() throws {
        let tree = try hang(flatTree([(67, "dyld"), (35, "a"), (16, "b"), (39, "c"), (20, "d")]))
        #expect(tree.remarks == [.branchesLost])
        #expect(tree.frames.map(\.parent) == [nil, 0, 1, nil, 3])
        #expect(tree.frames.map { $0.site?.lookupOffset.rawValue } == [67, 35, 16, 39, 20])
        let unmarked = try hang(flatTree([(64, "dyld"), (32, "a"), (16, "b")]))
        #expect(unmarked.frames.map(\.parent) == [nil, 0, 1])
        #expect(unmarked.remarks == [.branchesLost])
        #expect(try hang(flatTree([(64, "dyld")])).remarks == [.orientationDefault])
    }

    @Test("of random trees keep parents before children", arguments: UInt64(0)..<50)
    func parents(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let text = tree(
            [randomFrame(depth: 6, using: &numbers)], [randomFrame(depth: 4, using: &numbers)])
        for array in ["crashDiagnostics", "hangDiagnostics"] {
            let tree = try resolved(text, as: array).tree
            for (index, frame) in tree.frames.enumerated() {
                #expect(frame.parent ?? -1 < index)
                let stack = try #require(tree.stacks.first { $0.frames.contains(index) })
                if let parent = frame.parent { #expect(stack.frames.contains(parent)) }
            }
            #expect(tree.frames.count == text.split(separator: "binaryUUID").count - 1)
            #expect(tree.stacks.last?.frames.upperBound == tree.frames.count)
        }
    }

    private func randomFrame(depth: Int, using numbers: inout SplitMix64) -> String {
        let count = depth == 0 ? 0 : Int.random(in: 0...3, using: &numbers)
        var children: [String] = []
        for _ in 0..<count { children.append(randomFrame(depth: depth - 1, using: &numbers)) }
        return frame(4 * UInt64.random(in: 1...999, using: &numbers), samples: 1, children)
    }
}
