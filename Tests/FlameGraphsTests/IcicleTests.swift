import CallStacks
import TestSupport
import Testing

@testable import FlameGraphs

@Suite("The icicle")
struct IcicleTests {
    private func graph(_ diagnostic: SymbolicatedDiagnostic) -> FlameGraph {
        var builder = FlameGraphBuilder()
        builder.add(diagnostic)
        return builder.graph()
    }

    /// `0: main 0.00–1.00`.
    private func lines(_ icicle: Icicle, of graph: FlameGraph) -> [String] {
        icicle.cells.sorted { ($0.row, $0.start) < ($1.row, $1.start) }.map { cell in
            let name =
                switch cell.content {
                case .call(let node): graph.function(of: node).label
                case .chain(let nodes): "\(nodes.count) system frames"
                case .omitted(_, let count, let weight): "\(count) more, \(weight)"
                }
            let percent = [cell.start, cell.start + cell.width].map { Int(($0 * 100).rounded()) }
            return "\(cell.row): \(name) \(percent[0])-\(percent[1])"
        }
    }

    @Test("callees are within their caller, the heaviest on the left")
    func layout() {
        let graph = graph(
            .sampled([
                Call("main", 10, [Call("wait", 2), Call("work", 7, [Call("hash", 4)])])
            ]))
        #expect(
            lines(Icicle(graph), of: graph) == [
                "0: main 0-100", "1: work 0-70", "1: wait 70-90", "2: hash 0-40",
            ])
    }

    @Test("three system frames in a row of equal weight are one cell, until they are opened")
    func chains() {
        let chain = Call(
            "a", 10, [Call("b", 10, [Call("c", 10, [Call("work", 10)]).ofSystem]).ofSystem]
        )
        .ofSystem
        let graph = graph(.sampled([Call("main", 10, [chain])]))
        #expect(
            lines(Icicle(graph), of: graph) == [
                "0: main 0-100", "1: 3 system frames 0-100", "2: work 0-100",
            ])
        var options = Icicle.Options()
        options.opensChains = true
        #expect(Icicle(graph, options: options).cells.count == 5)
    }

    @Test("a picture that is zoomed keeps the callers at full width")
    func zoom() throws {
        let graph = graph(
            .sampled([
                Call("main", 10, [Call("wait", 2), Call("work", 7, [Call("hash", 4)])])
            ]))
        var options = Icicle.Options()
        let work = try #require(
            graph.nodes.indices.first { graph.function(of: $0).label == "work" })
        options.zoom = work
        let icicle = Icicle(graph, options: options)
        #expect(
            lines(icicle, of: graph) == ["0: main 0-100", "1: work 0-100", "2: hash 0-57"])
        #expect(icicle.cells.filter(\.isAncestor).count == 1)
    }

    @Test("everything beyond the limit is one cell that states its amount")
    func limit() {
        let narrow = (0..<8).map { Call("f\($0)", 1) }
        let graph = graph(.sampled([Call("main", 20, [Call("work", 12)] + narrow)]))
        var options = Icicle.Options()
        options.cellLimit = 4
        #expect(
            lines(Icicle(graph, options: options), of: graph) == [
                "0: main 0-100", "1: work 0-60", "1: f0 60-65", "1: f1 65-70",
                "1: 6 more, 6 70-100",
            ])
    }

    @Test(
        "cells of random trees are within their callers and do not overlap",
        arguments: 1...20 as ClosedRange<UInt64>)
    func randomTrees(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let graph = graph(.random(using: &numbers))
        var options = Icicle.Options()
        options.cellLimit = Int.random(in: 1...40, using: &numbers)
        options.zoom = graph.nodes.indices.randomElement(using: &numbers)
        options.opensChains = Bool.random(using: &numbers)
        let icicle = Icicle(graph, options: options)
        for row in 0..<icicle.rowCount {
            let cells = icicle.cells.filter { $0.row == row }.sorted { $0.start < $1.start }
            for (left, right) in zip(cells, cells.dropFirst()) {
                #expect(left.start + left.width <= right.start + 1e-9)
            }
            #expect(cells.allSatisfy { $0.start >= 0 && $0.start + $0.width <= 1 + 1e-9 })
        }
        let drawn = icicle.cells.filter {
            if case .omitted = $0.content { false } else { !$0.isAncestor }
        }
        #expect(drawn.count <= options.cellLimit)
        expectEveryFrameIsShownOrCounted(icicle, graph, options)
    }

    private func expectEveryFrameIsShownOrCounted(
        _ icicle: Icicle, _ graph: FlameGraph, _ options: Icicle.Options
    ) {
        var count = 0
        for cell in icicle.cells where !cell.isAncestor {
            switch cell.content {
            case .call: count += 1
            case .chain(let nodes): count += nodes.count
            case .omitted(_, let frameCount, _): count += frameCount
            }
        }
        let inside = graph.nodes.indices.filter { node in
            options.zoom.map { graph.path(to: node).contains($0) } ?? true
        }
        #expect(count == inside.count)
    }

    @Test("a recursion of 300,000 frames has a bounded picture")
    func deepRecursion() {
        var diagnostic = SymbolicatedDiagnostic.empty(.sampled)
        for row in 0..<300_000 {
            diagnostic.append(Call("walk", 1), parent: row == 0 ? nil : row - 1)
        }
        diagnostic.stacks = [
            CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<300_000)
        ]
        let icicle = Icicle(graph(diagnostic))
        #expect(icicle.cells.count == Icicle.Options().cellLimit + 1)
    }
}
