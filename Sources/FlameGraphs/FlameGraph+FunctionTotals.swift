/// The weight of a function over all its calls.
public struct FunctionTotals: Hashable, Sendable {
    public let function: FlameFunction
    /// The weight of its own code.
    public internal(set) var own: UInt64 = 0
    /// The weight of its code and of everything that it calls. Recursive calls count once.
    public internal(set) var total: UInt64 = 0
}

extension FlameGraph {
    /// Returns the functions by descending weight of their own code, then by total weight.
    public func functionTotals(limit: Int) -> [FunctionTotals] {
        var totals = functions.map { FunctionTotals(function: $0) }
        var openCalls = Array(repeating: 0, count: functions.count)
        visit { node in
            let function = nodes[node].function
            totals[function].own.add(nodes[node].own)
            if openCalls[function] == 0 { totals[function].total.add(nodes[node].total) }
            openCalls[function] += 1
        } leave: { node in
            openCalls[nodes[node].function] -= 1
        }
        let order = totals.indices.sorted {
            (totals[$1].own, totals[$1].total, $0) < (totals[$0].own, totals[$0].total, $1)
        }
        return order.prefix(limit).map { totals[$0] }
    }
}
