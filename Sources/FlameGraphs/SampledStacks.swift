public import CallStacks

/// The sampled stacks of one diagnostic, merged by function, in a form that is stored and merged
/// with others.
public struct SampledStacks: Hashable, Sendable {
    struct Node: Hashable, Sendable {
        /// An index into ``SampledStacks/functions``.
        let function: Int
        /// The caller's index, which is smaller than the node's own; `nil` for an outermost call.
        let caller: Int?
        /// The weight of this call alone.
        let own: UInt64
    }

    /// The maximum number of nodes. The time of omitted lighter ones is attributed to their
    /// callers.
    public static let nodeLimit = 5_000

    let functions: [FlameFunction]
    /// The location of each function's first call, with the file's name but not its folder.
    let locations: [FlameGraph.SourceLocation?]
    let nodes: [Node]

    init(
        functions: [FlameFunction], locations: [FlameGraph.SourceLocation?], nodes: [Node]
    ) {
        self.functions = functions
        self.locations = locations
        self.nodes = nodes
    }

    /// Merges the stacks that a diagnostic is about, or all of them if it marks none.
    ///
    /// - Returns: `nil` if its stacks were not sampled.
    public init?(of diagnostic: SymbolicatedDiagnostic) {
        guard diagnostic.form == .sampled, !diagnostic.frames.isEmpty else { return nil }
        let attributed = diagnostic.stacks.filter { $0.isAttributed && !$0.frames.isEmpty }
        var builder = FlameGraphBuilder()
        for stack in attributed.isEmpty ? diagnostic.stacks : attributed {
            builder.add(stack, of: diagnostic)
        }
        self.init(builder.graph().pruned(to: Self.nodeLimit))
    }

    init(_ graph: FlameGraph) {
        functions = graph.functions
        nodes = graph.nodes.map { Node(function: $0.function, caller: $0.parent, own: $0.own) }
        var locations: [FlameGraph.SourceLocation?] = Array(
            repeating: nil, count: graph.functions.count)
        for node in graph.nodes where locations[node.function] == nil {
            locations[node.function] = node.location.map { location in
                FlameGraph.SourceLocation(
                    file: SourceFile(folder: "", name: location.file.name), line: location.line)
            }
        }
        self.locations = locations
    }

    /// The weight of each node with everything that it calls.
    var totals: [UInt64] {
        var totals = nodes.map(\.own)
        for index in nodes.indices.reversed() {
            if let caller = nodes[index].caller { totals[caller].add(totals[index]) }
        }
        return totals
    }
}

extension FlameGraph {
    /// Returns the graph with only its heaviest nodes. The weight of the others is attributed to
    /// their callers.
    public func pruned(to limit: Int) -> FlameGraph {
        guard nodes.count > limit else { return self }
        // No callee is counted as heavier than its caller, so the callers of a kept node are kept.
        var bounds = nodes.map(\.total)
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent { bounds[index] = min(bounds[index], bounds[parent]) }
        }
        let kept = nodes.indices.sorted { (bounds[$1], $0) < (bounds[$0], $1) }.prefix(limit)
            .sorted()
        var newIndices: [Index?] = Array(repeating: nil, count: nodes.count)
        for (newIndex, index) in kept.enumerated() { newIndices[index] = newIndex }
        var builder = FlameGraphBuilder()
        for index in kept {
            let node = nodes[index]
            builder.append(
                functions[node.function], by: node.parent.flatMap { newIndices[$0] },
                location: node.location, weight: node.total)
        }
        return builder.graph()
    }
}
