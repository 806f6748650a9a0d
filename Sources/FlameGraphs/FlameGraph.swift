public import CallStacks

/// Call stacks merged into one tree, outermost call first, in which the calls of a function by the
/// same caller are one node.
///
/// Nodes are in one flat array, each after its parent, because stacks can be thousands of frames
/// deep.
public struct FlameGraph: Sendable {
    /// A position in ``FlameGraph/nodes``.
    public typealias Index = Int

    public struct Node: Sendable {
        /// An index into ``FlameGraph/functions``.
        public let function: Int
        /// The caller, or `nil` for an outermost call.
        public let parent: Index?
        /// The number of calls between this one and the outermost one.
        public let depth: Int
        /// The weight of this call and of everything that it calls.
        public internal(set) var total: UInt64
        /// The weight of this call alone: its total without its callees.
        public internal(set) var own: UInt64
        /// The source file and line of the first frame that was merged into the node.
        public let location: SourceLocation?
    }

    public struct SourceLocation: Hashable, Sendable {
        public let file: SourceFile
        /// The line, or 0 if only the file is known.
        public let line: UInt32
    }

    public let functions: [FlameFunction]
    public let nodes: [Node]
    /// The weight of all stacks, which may be more than that of the roots if frames were omitted.
    public let total: UInt64
    /// Whether the callees of some frame weigh more than the frame itself, as in damaged reports.
    public let isInconsistent: Bool
    private let callees: CalleeTable

    init(
        functions: [FlameFunction], nodes: [Node], total: UInt64, isInconsistent: Bool
    ) {
        self.functions = functions
        self.nodes = nodes
        self.total = total
        self.isInconsistent = isInconsistent
        callees = CalleeTable(nodes)
    }

    /// The outermost calls, heaviest first.
    public var roots: ArraySlice<Index> { callees.roots }

    /// Returns the calls made by a node, heaviest first. Calls of equal weight are in the order in
    /// which they were added.
    public func callees(of node: Index) -> ArraySlice<Index> { callees.callees(of: node) }

    public func function(of node: Index) -> FlameFunction { functions[nodes[node].function] }

    /// Returns a node's share of all stacks, from 0 to 1.
    public func share(of node: Index) -> Double { share(ofWeight: nodes[node].total) }

    /// Returns a weight as a share of all stacks, from 0 to 1.
    public func share(ofWeight weight: UInt64) -> Double {
        total == 0 ? 0 : min(Double(weight) / Double(total), 1)
    }

    /// Returns the calls from the outermost one to a node.
    public func path(to node: Index) -> [Index] {
        var path: [Index] = []
        var next: Index? = node
        while let node = next {
            path.append(node)
            next = nodes[node].parent
        }
        return path.reversed()
    }

    /// Visits the nodes in the order in which they are drawn: a call, then its callees, heaviest
    /// first.
    func visit(enter: (Index) -> Void, leave: (Index) -> Void) {
        enum Step { case enter(Index), leave(Index) }
        var steps = roots.reversed().map(Step.enter)
        while let step = steps.popLast() {
            switch step {
            case .leave(let node): leave(node)
            case .enter(let node):
                enter(node)
                steps.append(.leave(node))
                for callee in callees(of: node).reversed() { steps.append(.enter(callee)) }
            }
        }
    }
}

/// The callees of all nodes in one array, in which those of a node are consecutive.
private struct CalleeTable {
    private let sorted: [FlameGraph.Index]
    /// For each node, where its callees start; the roots come first.
    private let starts: [Int]

    init(_ nodes: [FlameGraph.Node]) {
        var starts = Array(repeating: 0, count: nodes.count + 2)
        for node in nodes { starts[Self.slot(of: node) + 1] += 1 }
        for slot in starts.indices.dropFirst() { starts[slot] += starts[slot - 1] }
        var sorted = Array(repeating: 0, count: nodes.count)
        var next = starts
        for index in nodes.indices {
            let slot = Self.slot(of: nodes[index])
            sorted[next[slot]] = index
            next[slot] += 1
        }
        for slot in 0...nodes.count where starts[slot + 1] - starts[slot] > 1 {
            sorted[starts[slot]..<starts[slot + 1]].sort {
                (nodes[$1].total, $0) < (nodes[$0].total, $1)
            }
        }
        self.sorted = sorted
        self.starts = starts
    }

    private static func slot(of node: FlameGraph.Node) -> Int { node.parent.map { $0 + 1 } ?? 0 }

    var roots: ArraySlice<FlameGraph.Index> { sorted[starts[0]..<starts[1]] }

    func callees(of node: FlameGraph.Index) -> ArraySlice<FlameGraph.Index> {
        sorted[starts[node + 1]..<starts[node + 2]]
    }
}
