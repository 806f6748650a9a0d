extension SymbolicatedDiagnostic {
    /// The frames to look at first, innermost first: those of the thread that the diagnostic is
    /// about, or of the heaviest path through its samples. Empty if no stack has a frame.
    public var representativeFrames: [Int] {
        guard let stack = representativeStack else { return [] }
        switch form {
        case .threads: return firstPath(of: stack)
        case .sampled: return heaviestPath(of: stack).reversed()
        }
    }

    /// The stack of ``representativeFrames``: that of the last exception, or else the first
    /// attributed one with frames, or else the sampled one with the heaviest root, or else the
    /// first one with frames.
    package var representativeStack: CallStack? {
        let filled = stacks.lazy.filter { !$0.frames.isEmpty }
        // The thread of an uncaught exception shows only how the process ended.
        if let exception = filled.first(where: { $0.role == .lastException }) { return exception }
        if let attributed = filled.first(where: \.isAttributed) { return attributed }
        guard form == .sampled else { return filled.first }
        var best: (stack: CallStack, samples: UInt64)?
        for stack in filled {
            let samples =
                stack.frames.lazy.filter { frames[$0].parent == nil }
                .map { frames[$0].samples ?? 0 }.max() ?? 0
            if samples > best?.samples ?? 0 || best == nil { best = (stack, samples) }
        }
        return best?.stack
    }

    /// Returns the path from the first root, along each frame whose callee is the frame before it.
    /// Further roots of a linear stack are other paths.
    private func firstPath(of stack: CallStack) -> [Int] {
        var path: [Int] = []
        path.reserveCapacity(stack.frames.count)
        for row in stack.frames where frames[row].parent == path.last { path.append(row) }
        return path
    }

    /// Returns a path, outermost first: from the heaviest root to the child with the most samples
    /// (the first one in a tie), and so on, until a frame's own samples exceed those of every
    /// child.
    private func heaviestPath(of stack: CallStack) -> [Int] {
        var heaviestChild: [Int: Int] = [:]
        var sums: [Int: UInt64] = [:]
        var root: Int?
        for row in stack.frames {
            let samples = frames[row].samples ?? 0
            guard let parent = frames[row].parent, parent < row else {
                if samples > root.map({ frames[$0].samples ?? 0 }) ?? 0 || root == nil {
                    root = row
                }
                continue
            }
            sums[parent] = saturatingSum(sums[parent] ?? 0, samples)
            let best = heaviestChild[parent].map { frames[$0].samples ?? 0 }
            if best == nil || samples > best ?? 0 { heaviestChild[parent] = row }
        }
        var path: [Int] = []
        var next = root
        while let row = next {
            path.append(row)
            let total = frames[row].samples ?? 0
            let own = total - min(total, sums[row] ?? 0)
            next = heaviestChild[row]
            if let child = next, own > frames[child].samples ?? 0 { next = nil }
        }
        return path
    }

    private func saturatingSum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
