extension SymbolicatedDiagnostic {
    /// Returns the diagnostic with one frame per physical frame: the function that owns its code.
    public func withoutInlinedCalls() -> SymbolicatedDiagnostic {
        var result = self
        var kept: [Int] = []
        // The new index of each frame that is kept.
        var newRows = Array(repeating: 0, count: frames.count)
        for row in frames.indices where !frames[row].isInlined {
            newRows[row] = kept.count
            kept.append(row)
        }
        var owners: [Int: Int] = [:]
        for row in kept { owners[frames[row].physical] = newRows[row] }
        result.frames = kept.map { row in
            var frame = frames[row]
            frame.parent = outerParent(of: row).flatMap { owners[frames[$0].physical] }
            return frame
        }
        for index in stacks.indices {
            let range = stacks[index].frames
            let start = kept.partitioningIndex(from: range.lowerBound)
            result.stacks[index].frames = start..<kept.partitioningIndex(from: range.upperBound)
        }
        result.culpritIndex = culpritIndex.flatMap { owners[frames[$0].physical] }
        result.culprit = result.culpritIndex.flatMap { result.frames[$0].functionTitle }
        return result
    }

    /// Returns the first frame above that belongs to another physical frame.
    private func outerParent(of row: Int) -> Int? {
        var parent = frames[row].parent
        while let above = parent, frames[above].physical == frames[row].physical {
            parent = frames[above].parent
        }
        return parent
    }
}
