import CallStacks
import FlameGraphs

extension SymbolicatedDiagnostic {
    /// Returns the diagnostic with sampled stacks in which the calls of a function by the same
    /// caller are one frame with the sum of their samples. A merged frame keeps only what its calls
    /// have in common. Other stacks are unchanged.
    func mergingCalls(by grouping: FlameGraphBuilder.Grouping) -> SymbolicatedDiagnostic {
        guard form == .sampled, grouping != .address else { return self }
        var result = self
        var merged = MergedCalls(grouping: grouping)
        for index in stacks.indices {
            result.stacks[index].frames = merged.add(stacks[index].frames, of: frames)
        }
        result.frames = merged.frames
        result.culpritIndex = nil
        return result
    }
}

/// The frames of sampled stacks, merged.
private struct MergedCalls {
    private struct Call: Hashable {
        /// The index of the caller's frame, or `nil` for a root.
        let caller: Int?
        let function: FlameFunction
    }

    let grouping: FlameGraphBuilder.Grouping
    private(set) var frames: [SymbolicatedFrame] = []

    init(grouping: FlameGraphBuilder.Grouping) { self.grouping = grouping }

    /// Adds a stack.
    ///
    /// - Returns: The range of its merged frames.
    mutating func add(_ rows: Range<Int>, of received: [SymbolicatedFrame]) -> Range<Int> {
        let start = frames.count
        var known: [Call: Int] = [:]
        var positions: [Int] = []
        positions.reserveCapacity(rows.count)
        for row in rows {
            var frame = received[row]
            let parent = frame.parent.flatMap { (rows.lowerBound..<row).contains($0) ? $0 : nil }
            frame.parent = parent.map { positions[$0 - rows.lowerBound] }
            let call = Call(
                caller: frame.parent, function: FlameFunction(frame, grouping: grouping))
            if let position = known[call] {
                frames[position].merge(frame)
                positions.append(position)
            } else {
                known[call] = frames.count
                positions.append(frames.count)
                frames.append(frame)
            }
        }
        return start..<frames.count
    }
}

extension SymbolicatedFrame {
    /// Adds another call of the same function.
    fileprivate mutating func merge(_ other: Self) {
        if let more = other.samples {
            let (sum, overflow) = (samples ?? 0).addingReportingOverflow(more)
            samples = overflow ? .max : sum
        }
        if functionDistance != other.functionDistance { functionDistance = nil }
        if callDistance != other.callDistance { callDistance = nil }
        if address != other.address { address = nil }
        for remark in other.remarks where !remarks.contains(remark) { remarks.append(remark) }
        mergeLocation(other)
    }

    private mutating func mergeLocation(_ other: Self) {
        if file != other.file { file = nil }
        if file == nil || line != other.line {
            (line, column, isApproximate) = (0, 0, false)
        } else {
            if column != other.column { column = 0 }
            isApproximate = isApproximate && other.isApproximate
        }
    }
}
