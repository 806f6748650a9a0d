import CallStacks

/// Decides which kind of call site the offset of each frame is.
struct CallSiteDecision {
    let tree: ReceivedTree
    let kind: DiagnosticKind
    let offsets: [DecodedOffset]
    let orientation: Orientation
    let childCounts: [Int]
    let architectures: ImageArchitectures

    /// The call site of each frame of the tree, or `nil` if it cannot be looked up.
    var sites: [CallSite?] {
        if tree.isSimulated { return Array(repeating: nil, count: tree.frames.count) }
        let hasAddresses = tree.frames.indices.contains { tree.frames[$0].address != nil }
        var sites: [CallSite?] = []
        sites.reserveCapacity(tree.frames.count)
        for stack in tree.stacks {
            for index in stack.frames {
                sites.append(site(index, in: stack, hasAddresses: hasAddresses))
            }
        }
        return sites
    }

    private func site(
        _ index: Int, in stack: ReceivedTree.Stack, hasAddresses: Bool
    ) -> CallSite? {
        guard let number = offsets[index].offset else { return nil }
        let offset = ImageOffset(number)
        if offsets[index].isMinusOne { return .adjusted(offset) }
        // The inner frames of such a list are adjusted, so this one is a leaf.
        if stack.form == .flat, orientation.rule == 1 { return .programCounter(offset) }
        if isInnermost(index, in: stack) { return .programCounter(offset) }
        // Variable instruction lengths hide the mark, but the system that sets it was the same.
        if !hasAddresses, kind.isSampled, isX86(tree.frames[index]) { return .adjusted(offset) }
        return .returnAddress(offset)
    }

    private func isInnermost(_ index: Int, in stack: ReceivedTree.Stack) -> Bool {
        switch (stack.form, orientation.direction) {
        case (.nested, .innermostFirst):
            tree.frames[index].parent == nil && !tree.frames[index].isOrphan
        case (.nested, .outermostFirst): childCounts[index] == 0
        case (.flat, .innermostFirst): index == stack.frames.lowerBound
        case (.flat, .outermostFirst): index == stack.frames.upperBound - 1
        }
    }

    private func isX86(_ frame: ReceivedTree.Frame) -> Bool {
        architectures.architecture(of: frame)?.cpuType == Architecture.x86On64.cpuType
    }
}
