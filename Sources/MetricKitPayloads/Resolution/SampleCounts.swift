package import CallStacks

/// Completes and checks the sample counts of weighted trees. A count includes all frames below.
package enum SampleCounts {
    /// Fills in missing counts and marks inconsistent ones. Received numbers are not changed.
    package static func complete(_ frames: inout [CallFrame]) {
        var below = Array(repeating: UInt64(0), count: frames.count)
        var hasChildren = Array(repeating: false, count: frames.count)
        // Each frame comes after its parent, so when walking backwards all children are known.
        for index in frames.indices.reversed() {
            if let samples = frames[index].samples {
                if below[index] > samples { frames[index].remarks.add(.sampleCountInconsistent) }
            } else {
                frames[index].samples = hasChildren[index] ? below[index] : 1
                frames[index].remarks.add(.sampleCountMissing)
            }
            guard let parent = frames[index].parent else { continue }
            let (sum, overflows) = below[parent]
                .addingReportingOverflow(frames[index].samples ?? 0)
            below[parent] = overflows ? .max : sum
            hasChildren[parent] = true
        }
    }
}
