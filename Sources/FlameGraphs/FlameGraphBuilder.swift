public import CallStacks

/// Merges the call stacks of diagnostics into a flame graph.
///
/// A sampled stack weighs as much as its number of samples. A stack of a crash weighs 1.
public struct FlameGraphBuilder: Sendable {
    public enum Grouping: String, Hashable, Sendable, CaseIterable {
        /// Calls of a function by the same caller are one node, whatever their lines.
        case function
        case line
        /// Calls at different addresses are different nodes.
        case address
    }

    public enum Weighting: String, Hashable, Sendable, CaseIterable {
        /// Every sample counts the same.
        case samples
        /// Every diagnostic counts the same, however many samples it has.
        case devices
    }

    public struct Options: Hashable, Sendable {
        public var grouping = Grouping.function
        public var weighting = Weighting.samples
        /// Whether system frames are included. Otherwise their time is attributed to their callers.
        public var showsSystemFrames = true
        /// Whether a recursive call is merged with the call of the same function that makes it.
        public var mergesRecursion = false

        public init() {}
    }

    /// The weight of one diagnostic in a graph weighted by devices.
    public static let deviceWeight: UInt64 = 1_000_000

    private let options: Options
    private var functions: [FlameFunction] = []
    private var functionNumbers: [FlameFunction: Int] = [:]
    private var nodes: [FlameGraph.Node] = []
    private var edges = EdgeTable()
    private var total: UInt64 = 0
    private var isInconsistent = false
    private var hasSubtracted = false

    public init(options: Options = Options()) { self.options = options }

    /// Adds every stack of a diagnostic.
    public mutating func add(_ diagnostic: SymbolicatedDiagnostic) {
        guard options.weighting == .devices else {
            for stack in diagnostic.stacks { add(stack, of: diagnostic) }
            return
        }
        var alone = options
        alone.weighting = .samples
        var builder = Self(options: alone)
        builder.add(diagnostic)
        add(builder.graph(), scaledTo: Self.deviceWeight)
    }

    /// Adds one stack of a diagnostic, by samples.
    public mutating func add(_ stack: CallStack, of diagnostic: SymbolicatedDiagnostic) {
        switch diagnostic.form {
        case .threads: addLinear(stack, of: diagnostic.frames)
        case .sampled: addSampled(stack, of: diagnostic.frames)
        }
    }

    /// Adds the previously merged stacks of one diagnostic.
    public mutating func add(_ stacks: SampledStacks) {
        merge(stacks) { $0.add($1) }
    }

    /// Subtracts stacks that were previously added as ``SampledStacks``.
    public mutating func subtract(_ stacks: SampledStacks) {
        hasSubtracted = true
        merge(stacks) { $0.subtract($1) }
    }

    /// The number of nodes, including those whose weight was subtracted.
    public var nodeCount: Int { nodes.count }

    /// Returns the graph of the stacks that were added.
    public func graph() -> FlameGraph {
        var nodes = hasSubtracted ? nodesWithWeight : nodes
        var isInconsistent = isInconsistent
        for index in nodes.indices { nodes[index].own = nodes[index].total }
        for index in nodes.indices.reversed() {
            guard let parent = nodes[index].parent else { continue }
            let rest = nodes[parent].own.subtractingReportingOverflow(nodes[index].total)
            nodes[parent].own = rest.overflow ? 0 : rest.partialValue
            if rest.overflow { isInconsistent = true }
        }
        return FlameGraph(
            functions: functions, nodes: nodes, total: total, isInconsistent: isInconsistent)
    }

    /// Adds a call that is not in the graph yet.
    mutating func append(
        _ function: FlameFunction, by caller: FlameGraph.Index?,
        location: FlameGraph.SourceLocation?, weight: UInt64
    ) {
        if caller == nil { total.add(weight) }
        let node = node(of: number(of: function), by: caller, location: location)
        nodes[node].total.add(weight)
    }

    private mutating func merge(
        _ stacks: SampledStacks, change: (inout UInt64, UInt64) -> Void
    ) {
        let totals = stacks.totals
        var whole: UInt64 = 0
        for (node, total) in zip(stacks.nodes, totals) where node.caller == nil { whole.add(total) }
        guard whole > 0 else { return }
        let weight = options.weighting == .devices ? Self.deviceWeight : whole
        change(&total, weight)
        let numbers = stacks.functions.map { number(of: $0) }
        var merged: [FlameGraph.Index] = []
        merged.reserveCapacity(stacks.nodes.count)
        for (source, total) in zip(stacks.nodes, totals) {
            let node = node(
                of: numbers[source.function], by: source.caller.map { merged[$0] },
                location: stacks.locations[source.function])
            change(&nodes[node].total, weight.scaled(by: total, over: whole))
            merged.append(node)
        }
    }

    /// The nodes that still have weight after subtractions.
    private var nodesWithWeight: [FlameGraph.Node] {
        var newIndices: [FlameGraph.Index?] = []
        newIndices.reserveCapacity(nodes.count)
        var kept: [FlameGraph.Node] = []
        for node in nodes {
            newIndices.append(node.total > 0 ? kept.count : nil)
            guard node.total > 0 else { continue }
            kept.append(
                FlameGraph.Node(
                    function: node.function, parent: node.parent.flatMap { newIndices[$0] },
                    depth: node.depth, total: node.total, own: 0, location: node.location))
        }
        return kept
    }

    /// Adds a stack of a crash, whose frames are innermost first, in reverse order.
    private mutating func addLinear(_ stack: CallStack, of frames: [SymbolicatedFrame]) {
        var path: [Int] = []
        for row in stack.frames where frames[row].parent == path.last { path.append(row) }
        guard !path.isEmpty else { return }
        total.add(1)
        var caller: FlameGraph.Index?
        for row in path.reversed() {
            caller = addCall(of: frames[row], by: caller, weight: 1)
        }
    }

    private mutating func addSampled(_ stack: CallStack, of frames: [SymbolicatedFrame]) {
        let weights = SampleWeights(frames, rows: stack.frames)
        var merged: [FlameGraph.Index?] = []
        merged.reserveCapacity(stack.frames.count)
        for row in stack.frames {
            let weight = weights[row]
            guard let parent = weights.parent(of: row) else {
                total.add(weight)
                merged.append(addCall(of: frames[row], by: nil, weight: weight))
                continue
            }
            let caller = merged[parent - stack.frames.lowerBound]
            merged.append(addCall(of: frames[row], by: caller, weight: weight))
        }
    }

    /// Adds a call.
    ///
    /// - Returns: Its node, or the caller's if the frame is not included.
    private mutating func addCall(
        of frame: SymbolicatedFrame, by caller: FlameGraph.Index?, weight: UInt64
    ) -> FlameGraph.Index? {
        if !frame.isInApp, !options.showsSystemFrames { return caller }
        let function = number(of: FlameFunction(frame, grouping: options.grouping))
        if options.mergesRecursion, let caller, nodes[caller].function == function {
            return caller
        }
        let node = node(of: function, by: caller, location: FlameGraph.SourceLocation(frame))
        nodes[node].total.add(weight)
        return node
    }

    private mutating func number(of function: FlameFunction) -> Int {
        if let number = functionNumbers[function] { return number }
        functions.append(function)
        functionNumbers[function] = functions.count - 1
        return functions.count - 1
    }

    private mutating func node(
        of function: Int, by caller: FlameGraph.Index?, location: FlameGraph.SourceLocation?
    ) -> FlameGraph.Index {
        if let node = edges.find(caller: caller, function: function, orAdd: nodes.count) {
            return node
        }
        nodes.append(
            FlameGraph.Node(
                function: function, parent: caller, depth: caller.map { nodes[$0].depth + 1 } ?? 0,
                total: 0, own: 0, location: location))
        return nodes.count - 1
    }

    /// Adds another graph, with its weights scaled so that they sum to `weight`.
    private mutating func add(_ graph: FlameGraph, scaledTo weight: UInt64) {
        isInconsistent = isInconsistent || graph.isInconsistent
        guard graph.total > 0 else { return }
        total.add(weight)
        var merged: [FlameGraph.Index] = []
        merged.reserveCapacity(graph.nodes.count)
        for source in graph.nodes {
            let function = number(of: graph.functions[source.function])
            let caller = source.parent.map { merged[$0] }
            let node = node(of: function, by: caller, location: source.location)
            nodes[node].total.add(weight.scaled(by: source.total, over: graph.total))
            merged.append(node)
        }
    }
}

extension FlameGraph.SourceLocation {
    fileprivate init?(_ frame: SymbolicatedFrame) {
        guard let file = frame.file else { return nil }
        self.init(file: file, line: frame.line)
    }
}
