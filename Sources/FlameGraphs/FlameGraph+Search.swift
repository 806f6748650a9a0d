/// The nodes of a flame graph whose function or image contains a text.
public struct FlameSearch: Sendable {
    /// The nodes that were found, in ascending order.
    public let nodes: [FlameGraph.Index]
    /// The weight of the nodes that were found. A node below another found node is not counted
    /// again.
    public let weight: UInt64
}

extension FlameGraph {
    /// Searches the names of functions and images, ignoring case.
    public func search(_ text: String) -> FlameSearch {
        let wanted = text.lowercased()
        let isFound = functions.map { function in
            function.label.lowercased().contains(wanted)
                || (function.image?.lowercased().contains(wanted) ?? false)
        }
        var found: [Index] = []
        var weight: UInt64 = 0
        var isCovered = Array(repeating: false, count: nodes.count)
        for (index, node) in nodes.enumerated() {
            let isBelow = node.parent.map { isCovered[$0] } ?? false
            isCovered[index] = isBelow || isFound[node.function]
            guard isFound[node.function] else { continue }
            found.append(index)
            if !isBelow { weight.add(node.total) }
        }
        return FlameSearch(nodes: found, weight: weight)
    }
}
