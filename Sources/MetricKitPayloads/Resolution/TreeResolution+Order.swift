import CallStacks

extension TreeResolution {
    /// For each frame of ``callStackTree``, the index of the received frame.
    var order: [Int] {
        tree.stacks.flatMap { stack in
            keepsOrder(stack) ? Array(stack.frames) : paths(of: stack).flatMap { $0 }
        }
    }

    /// The functions that the tree names, by the frames of ``callStackTree``.
    var reportedFunctions: [Int: [ReportedFunction]] {
        var reportedFunctions: [Int: [ReportedFunction]] = [:]
        for (index, received) in order.enumerated() {
            reportedFunctions[index] = tree.reportedFunctions[received]
        }
        return reportedFunctions
    }
}
