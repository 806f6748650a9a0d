import CallStacks
import TestSupport
import Testing

@testable import FlameGraphs

@Suite("Stored stacks")
struct SampledStacksTests {
    private func graph(
        _ stacks: [SampledStacks], by weighting: FlameGraphBuilder.Weighting = .samples
    ) -> FlameGraph {
        var options = FlameGraphBuilder.Options()
        options.weighting = weighting
        var builder = FlameGraphBuilder(options: options)
        for stacks in stacks { builder.add(stacks) }
        return builder.graph()
    }

    /// The stacks with their own weights.
    private func text(_ graph: FlameGraph) -> Set<String> {
        var stacks = CollapsedStacks()
        stacks.add(graph, thread: nil)
        return Set(
            String(decoding: stacks.bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private func random(_ numbers: inout SplitMix64) throws -> SampledStacks {
        try #require(SampledStacks(of: .random(using: &numbers)))
    }

    @Test("stacks are read back as written", arguments: 1...10 as ClosedRange<UInt64>)
    func coding(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let stacks = try random(&numbers)
        #expect(SampledStacks(stacks.bytes) == stacks)
    }

    @Test("no prefix and no damaged copy traps", arguments: 1...5 as ClosedRange<UInt64>)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let bytes = try random(&numbers).bytes
        for count in 0..<bytes.count { #expect(SampledStacks(Array(bytes.prefix(count))) == nil) }
        for _ in 0..<200 {
            guard let stacks = SampledStacks(bytes.damaged(using: &numbers)) else { continue }
            _ = graph([stacks])
        }
    }

    @Test(
        "merged stacks of diagnostics equal the graph of the diagnostics",
        arguments: 1...5 as ClosedRange<UInt64>)
    func merging(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let diagnostics = (0..<6).map { _ in SymbolicatedDiagnostic.random(using: &numbers) }
        let stacks = try diagnostics.map { try #require(SampledStacks(of: $0)) }
        for weighting in FlameGraphBuilder.Weighting.allCases {
            var options = FlameGraphBuilder.Options()
            options.weighting = weighting
            var builder = FlameGraphBuilder(options: options)
            for diagnostic in diagnostics { builder.add(diagnostic) }
            #expect(text(graph(stacks, by: weighting)) == text(builder.graph()))
        }
    }

    @Test("subtracting stacks leaves the others", arguments: 1...5 as ClosedRange<UInt64>)
    func subtraction(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let stacks = try (0..<6).map { _ in try random(&numbers) }
        for weighting in FlameGraphBuilder.Weighting.allCases {
            var options = FlameGraphBuilder.Options()
            options.weighting = weighting
            var builder = FlameGraphBuilder(options: options)
            for stacks in stacks { builder.add(stacks) }
            for stacks in stacks.prefix(3) { builder.subtract(stacks) }
            #expect(text(builder.graph()) == text(graph(Array(stacks.suffix(3)), by: weighting)))
            #expect(builder.graph().total == graph(Array(stacks.suffix(3)), by: weighting).total)
        }
    }

    @Test("of more nodes than the limit the heaviest are kept, and no weight is lost")
    func pruning() throws {
        let narrow = (0..<SampledStacks.nodeLimit + 1).map { Call("f\($0)", 1) }
        let whole = UInt64(SampledStacks.nodeLimit + 9)
        let stacks = try #require(
            SampledStacks(of: .sampled([Call("main", whole, [Call("work", 8)] + narrow)])))
        #expect(stacks.nodes.count == SampledStacks.nodeLimit)
        let graph = graph([stacks])
        #expect(graph.total == whole)
        #expect(graph.functions.contains { $0.label == "work" })
    }

    @Test("threads that the diagnostic is not about are left out, and crashes have no stacks")
    func attributed() throws {
        let hang = SymbolicatedDiagnostic.sampled([Call("main", 4)], [Call("other", 9)])
        #expect(try #require(SampledStacks(of: hang)).functions.map(\.label) == ["main"])
        #expect(SampledStacks(of: .crash(["main"])) == nil)
    }

    @Test("a comparison has the weight of each call in both graphs")
    func comparison() throws {
        func stacks(_ calls: [Call]) throws -> FlameGraph {
            graph([try #require(SampledStacks(of: .sampled(calls)))])
        }
        let compared = FlameComparison(
            of: try stacks([Call("main", 10, [Call("new", 4), Call("work", 6)])]),
            with: try stacks([Call("main", 5, [Call("work", 2), Call("old", 3)])]))
        let nodes = compared.nodes.map { node in
            "\(compared.functions[node.function].label) \(node.before) \(node.after)"
        }
        #expect(Set(nodes) == ["main 5 10", "new 0 4", "work 2 6", "old 3 0"])
        #expect(compared.total == (5, 10))
    }
}
