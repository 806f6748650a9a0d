import CallStacks
import TestSupport
import Testing

@testable import FlameGraphs

@Suite("Merging stacks into a flame graph")
struct FlameGraphTests {
    private func graph(
        _ diagnostics: [SymbolicatedDiagnostic], options: FlameGraphBuilder.Options = .init()
    ) -> FlameGraph {
        var builder = FlameGraphBuilder(options: options)
        for diagnostic in diagnostics { builder.add(diagnostic) }
        return builder.graph()
    }

    /// `main 10 (work 7 (hash 4))`, heaviest callee first.
    private func text(_ graph: FlameGraph) -> String {
        func text(_ nodes: ArraySlice<FlameGraph.Index>) -> String {
            nodes.map { node in
                let callees = graph.callees(of: node)
                let inner = callees.isEmpty ? "" : " (\(text(callees)))"
                return "\(graph.function(of: node).label) \(graph.nodes[node].total)\(inner)"
            }.joined(separator: ", ")
        }
        return text(graph.roots)
    }

    private let hang = SymbolicatedDiagnostic.sampled([
        Call(
            "main", 10,
            [
                Call("work", 3, [Call("hash", 1)]).at(line: 4), Call("wait", 2),
                Call("work", 4, [Call("hash", 3)]).at(line: 9),
            ])
    ])

    @Test("calls of one function by the same caller are one node, whatever their lines")
    func byFunction() {
        #expect(text(graph([hang])) == "main 10 (work 7 (hash 4), wait 2)")
    }

    @Test("grouped by line, calls at two lines are two nodes")
    func byLine() {
        var options = FlameGraphBuilder.Options()
        options.grouping = .line
        #expect(
            text(graph([hang], options: options))
                == "main 10 (work 4 (hash 3), work 3 (hash 1), wait 2)")
    }

    @Test("an inlined call is not merged with a call of the same function")
    func inlined() {
        var inlined = Call("hash", 2)
        inlined.isInlined = true
        let diagnostic = SymbolicatedDiagnostic.sampled([
            Call("main", 5, [Call("hash", 3), inlined])
        ])
        #expect(text(graph([diagnostic])) == "main 5 (hash 3, hash 2)")
    }

    @Test("the stack of a crash weighs 1 and is turned outermost first")
    func crash() {
        let crash = SymbolicatedDiagnostic.crash(["trap", "work", "main"])
        let other = SymbolicatedDiagnostic.crash(["wait", "main"])
        #expect(text(graph([crash, crash, other])) == "main 3 (work 2 (trap 2), wait 1)")
    }

    @Test("a frame without a count has the weight of its callees, or 1 without any")
    func missingCounts() {
        let diagnostic = SymbolicatedDiagnostic.sampled([
            Call("main", nil, [Call("a"), Call("b", 4)])
        ])
        #expect(text(graph([diagnostic])) == "main 5 (b 4, a 1)")
    }

    @Test("system frames can be omitted, and then their callers get their time")
    func withoutSystemFrames() {
        var options = FlameGraphBuilder.Options()
        options.showsSystemFrames = false
        let diagnostic = SymbolicatedDiagnostic.sampled([
            Call("start", 9, [Call("main", 8, [Call("RunLoop", 7, [Call("tap", 6)]).ofSystem])])
                .ofSystem
        ])
        let graph = graph([diagnostic], options: options)
        #expect(text(graph) == "main 8 (tap 6)")
        #expect(graph.total == 9)
        #expect(graph.roots.first.map { graph.nodes[$0].own } == 2)
    }

    @Test("recursion can be one node")
    func recursion() {
        var options = FlameGraphBuilder.Options()
        options.mergesRecursion = true
        let diagnostic = SymbolicatedDiagnostic.sampled([
            Call("walk", 9, [Call("walk", 8, [Call("walk", 8, [Call("leaf", 3)])])])
        ])
        #expect(text(graph([diagnostic], options: options)) == "walk 9 (leaf 3)")
    }

    @Test("weighed by devices, a diagnostic with many samples counts no more than one with few")
    func devices() {
        var options = FlameGraphBuilder.Options()
        options.weighting = .devices
        let many = SymbolicatedDiagnostic.sampled([Call("main", 900, [Call("hash", 900)])])
        let few = SymbolicatedDiagnostic.sampled([Call("main", 2, [Call("wait", 1)])])
        let graph = graph([many, few], options: options)
        let unit = FlameGraphBuilder.deviceWeight
        #expect(graph.total == 2 * unit)
        #expect(text(graph) == "main \(2 * unit) (hash \(unit), wait \(unit / 2))")
    }

    @Test("callees that weigh more than their caller are noted and change no other weight")
    func inconsistent() {
        let graph = graph([.sampled([Call("main", 5, [Call("a", 4), Call("b", 4)])])])
        #expect(graph.isInconsistent)
        #expect(text(graph) == "main 5 (a 4, b 4)")
        #expect(graph.roots.first.map { graph.nodes[$0].own } == 0)
        #expect(!self.graph([hang]).isInconsistent)
    }

    @Test("sums beyond 64 bits stay at the largest number")
    func largeCounts() {
        let graph = graph([
            .sampled([Call("a", .max, [Call("b", .max), Call("c", .max)]), Call("a", .max)])
        ])
        #expect(graph.total == .max)
        #expect(graph.functionTotals(limit: 9).count == 3)
        #expect(graph.search("").weight == .max)
        var options = FlameGraphBuilder.Options()
        options.weighting = .devices
        _ = self.graph([.sampled([Call("a", .max, [Call("b", .max)])])], options: options)
    }

    @Test("the heaviest stack ends where a call itself weighs more than each of its callees")
    func heaviestStack() {
        let graph = graph([
            .sampled([
                Call(
                    "main", 20,
                    [
                        Call("work", 12, [Call("hash", 5, [Call("mix", 1)]), Call("store", 5)]),
                        Call("wait", 8),
                    ])
            ])
        ])
        let names = graph.heaviestStack.map { graph.function(of: $0).label }
        #expect(names == ["main", "work", "hash"])
    }

    @Test("a function's total counts recursive calls once, and its own weight everywhere")
    func functionTotals() {
        let graph = graph([
            .sampled([Call("walk", 9, [Call("step", 8, [Call("walk", 7)])]), Call("walk", 1)])
        ])
        let totals = graph.functionTotals(limit: 1)
        #expect(totals.map(\.function.label) == ["walk"])
        #expect(totals.map(\.own) == [9])
        #expect(totals.map(\.total) == [10])
    }

    @Test("a search counts the weight below a hit once")
    func search() {
        let graph = graph([
            .sampled([
                Call("main", 10, [Call("hashRow", 6, [Call("hashCell", 4)]), Call("HASH", 1)])
            ])
        ])
        let found = graph.search("hash")
        #expect(found.nodes.count == 3)
        #expect(found.weight == 7)
        #expect(graph.search("orchard").nodes.count == 4)
        #expect(graph.search("absent").nodes.isEmpty)
    }

    @Test("own weights sum to the total in random trees", arguments: 1...20 as ClosedRange<UInt64>)
    func randomTrees(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let diagnostics = (0..<5).map { _ in SymbolicatedDiagnostic.random(using: &numbers) }
        for weighting in FlameGraphBuilder.Weighting.allCases {
            var options = FlameGraphBuilder.Options()
            options.weighting = weighting
            let graph = graph(diagnostics, options: options)
            #expect(!graph.isInconsistent)
            #expect(graph.nodes.reduce(0) { $0 + $1.own } == graph.total)
            for (index, node) in graph.nodes.enumerated() {
                #expect(node.parent.map { $0 < index } ?? true)
                let callees = graph.callees(of: index)
                let sum = callees.reduce(0) { $0 + graph.nodes[$1].total }
                #expect(sum + node.own == node.total)
            }
            #expect(
                Set(graph.cellIDs()).count == graph.nodes.count, "two nodes share a link")
        }
    }
}

extension SymbolicatedDiagnostic {
    /// A sampled diagnostic with consistent counts.
    static func random(using numbers: inout SplitMix64) -> Self {
        var diagnostic = Self.empty(.sampled)
        var open: [(row: Int, left: UInt64)] = []
        let total = UInt64.random(in: 50...500, using: &numbers)
        let root = diagnostic.append(Call("main", total), parent: nil)
        open.append((root, total))
        while var caller = open.popLast() {
            for _ in 0..<Int.random(in: 0...4, using: &numbers) where caller.left > 0 {
                let samples = UInt64.random(in: 1...caller.left, using: &numbers)
                caller.left -= samples
                var call = Call("f\(Int.random(in: 0..<6, using: &numbers))", samples)
                call.isInApp = Bool.random(using: &numbers)
                open.append((diagnostic.append(call, parent: caller.row), samples))
            }
        }
        diagnostic.stacks = [
            CallStack(
                index: 0, name: "main thread", isAttributed: true,
                frames: 0..<diagnostic.frames.count)
        ]
        return diagnostic
    }
}
