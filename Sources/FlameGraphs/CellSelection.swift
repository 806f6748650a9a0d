/// The nodes that have a cell in an icicle.
///
/// The callers of a node with a cell have cells as well, because nodes are selected by weight, and
/// no callee is counted as heavier than its caller.
struct CellSelection {
    private let graph: FlameGraph
    private let opensChains: Bool
    private var isSelected: [Bool]
    /// For each node, the number of nodes at and below it.
    private let sizes: [Int]

    init(_ graph: FlameGraph, options: Icicle.Options) {
        self.graph = graph
        opensChains = options.opensChains
        isSelected = Array(repeating: false, count: graph.nodes.count)
        var sizes = Array(repeating: 1, count: graph.nodes.count)
        for index in graph.nodes.indices.reversed() {
            if let parent = graph.nodes[index].parent { sizes[parent] += sizes[index] }
        }
        self.sizes = sizes
        select(below: options.zoom, limit: options.cellLimit)
    }

    func contains(_ node: FlameGraph.Index) -> Bool { isSelected[node] }

    /// Returns the sum of the given callees that have no cell.
    func omitted(of callees: ArraySlice<FlameGraph.Index>) -> (frameCount: Int, weight: UInt64) {
        var sum: (frameCount: Int, weight: UInt64) = (0, 0)
        for callee in callees where !isSelected[callee] {
            sum.frameCount += sizes[callee]
            sum.weight.add(graph.nodes[callee].total)
        }
        return sum
    }

    /// Returns the chain of system frames that starts at a node and is drawn as one cell, or `nil`
    /// if there are fewer than ``Icicle/chainLength``.
    func chain(from node: FlameGraph.Index) -> [FlameGraph.Index]? {
        guard !opensChains, isSystem(node) else { return nil }
        var chain = [node]
        while let next = onlyCallee(of: chain[chain.count - 1]), isSystem(next) {
            chain.append(next)
        }
        return chain.count < Icicle.chainLength ? nil : chain
    }

    private func isSystem(_ node: FlameGraph.Index) -> Bool { !graph.function(of: node).isInApp }

    private func onlyCallee(of node: FlameGraph.Index) -> FlameGraph.Index? {
        let callees = graph.callees(of: node)
        guard callees.count == 1, let callee = callees.first,
            graph.nodes[callee].total == graph.nodes[node].total
        else { return nil }
        return callee
    }

    private mutating func select(below zoom: FlameGraph.Index?, limit: Int) {
        let weights = weights(below: zoom)
        var count = 0
        for node in heaviestStack(below: zoom).prefix(limit) { add(node, count: &count) }
        let order = graph.nodes.indices.filter { weights[$0] != nil }
            .sorted { (weights[$1] ?? 0, $0) < (weights[$0] ?? 0, $1) }
        for node in order where !isSelected[node] {
            guard count < limit else { break }
            add(node, count: &count)
        }
    }

    /// Selects a node with the chain that it starts.
    private mutating func add(_ node: FlameGraph.Index, count: inout Int) {
        guard !isSelected[node] else { return }
        for node in chain(from: node) ?? [node] { isSelected[node] = true }
        count += 1
    }

    private func heaviestStack(below zoom: FlameGraph.Index?) -> [FlameGraph.Index] {
        let stack = graph.heaviestStack
        guard let zoom else { return stack }
        guard let start = stack.firstIndex(of: zoom) else { return [zoom] }
        return Array(stack[start...])
    }

    /// Returns the weights by which nodes are selected, with `nil` for nodes outside the picture.
    private func weights(below zoom: FlameGraph.Index?) -> [UInt64?] {
        var weights: [UInt64?] = Array(repeating: nil, count: graph.nodes.count)
        for (index, node) in graph.nodes.enumerated() {
            if index == zoom {
                weights[index] = node.total
            } else if let parent = node.parent {
                weights[index] = weights[parent].map { min($0, node.total) }
            } else if zoom == nil {
                weights[index] = node.total
            }
        }
        return weights
    }
}
