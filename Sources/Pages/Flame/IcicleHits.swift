import FlameGraphs

/// The cells of an icicle that contain a call that a search found.
struct IcicleHits {
    private let found: Set<FlameGraph.Index>
    /// The callers of found calls without a cell; `nil` if a root has none.
    private let omittingCallers: Set<FlameGraph.Index?>

    /// - Parameter text: The text to search for. An empty text finds nothing.
    init(of text: String, in icicle: Icicle, of graph: FlameGraph) {
        guard !text.isEmpty else {
            (found, omittingCallers) = ([], [])
            return
        }
        let nodes = graph.search(text).nodes
        var hasCell = Array(repeating: false, count: graph.nodes.count)
        for cell in icicle.cells {
            switch cell.content {
            case .call(let node): hasCell[node] = true
            case .chain(let nodes): for node in nodes { hasCell[node] = true }
            case .omitted: break
            }
        }
        var callers: Set<FlameGraph.Index?> = []
        var isVisited = hasCell
        for node in nodes {
            var next: FlameGraph.Index? = node
            // A call that was visited has the same callers as before.
            while let node = next, !isVisited[node] {
                isVisited[node] = true
                next = graph.nodes[node].parent
                if next.map({ hasCell[$0] }) ?? true { callers.insert(next) }
            }
        }
        found = Set(nodes)
        omittingCallers = callers
    }

    func contain(_ cell: Icicle.Cell) -> Bool {
        switch cell.content {
        case .call(let node): found.contains(node)
        case .chain(let nodes): nodes.contains(where: found.contains)
        case .omitted(let caller, _, _): omittingCallers.contains(caller)
        }
    }
}
