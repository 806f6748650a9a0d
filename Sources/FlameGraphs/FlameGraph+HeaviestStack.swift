extension FlameGraph {
    /// The calls from the heaviest root down to the heaviest callee of each, ending where a call
    /// itself weighs more than any of its callees.
    public var heaviestStack: [Index] {
        var stack: [Index] = []
        var next = roots.first
        while let node = next {
            stack.append(node)
            next = callees(of: node).first
            if let callee = next, nodes[node].own > nodes[callee].total { next = nil }
        }
        return stack
    }
}
