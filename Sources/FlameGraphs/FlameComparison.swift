/// Two flame graphs as one tree, with the weight of each call in both.
public struct FlameComparison: Sendable {
    public struct Node: Sendable {
        /// An index into ``FlameComparison/functions``.
        public let function: Int
        /// The caller, or `nil` for an outermost call.
        public let parent: Int?
        public internal(set) var before: UInt64 = 0
        public internal(set) var after: UInt64 = 0
        public let location: FlameGraph.SourceLocation?
    }

    private struct Edge: Hashable {
        let caller: Int?
        let function: Int
    }

    public private(set) var functions: [FlameFunction] = []
    /// The calls, each after its caller.
    public private(set) var nodes: [Node] = []
    /// The weights of all stacks. Divide by them to compare shares.
    public let total: (before: UInt64, after: UInt64)
    private var numbers: [FlameFunction: Int] = [:]
    private var edges: [Edge: Int] = [:]

    public init(of after: FlameGraph, with before: FlameGraph) {
        total = (before.total, after.total)
        add(after, to: \.after)
        add(before, to: \.before)
    }

    private mutating func add(_ graph: FlameGraph, to weight: WritableKeyPath<Node, UInt64>) {
        var merged: [Int] = []
        merged.reserveCapacity(graph.nodes.count)
        for node in graph.nodes {
            let index = index(
                of: graph.functions[node.function], by: node.parent.map { merged[$0] }, node: node)
            nodes[index][keyPath: weight].add(node.total)
            merged.append(index)
        }
    }

    private mutating func index(
        of function: FlameFunction, by caller: Int?, node: FlameGraph.Node
    ) -> Int {
        let number = numbers[function] ?? functions.count
        if number == functions.count {
            functions.append(function)
            numbers[function] = number
        }
        let edge = Edge(caller: caller, function: number)
        if let index = edges[edge] { return index }
        nodes.append(Node(function: number, parent: caller, location: node.location))
        edges[edge] = nodes.count - 1
        return nodes.count - 1
    }
}
