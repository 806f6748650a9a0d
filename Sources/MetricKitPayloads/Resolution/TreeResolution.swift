import CallStacks

/// Turns a received tree into one of the two normal forms.
struct TreeResolution {
    let tree: ReceivedTree
    let orientation: Orientation
    private let isSimulated: Bool
    private let offsets: [DecodedOffset]
    private let sites: [CallSite?]
    private let form: CallStackTree.Form

    init(tree: ReceivedTree, kind: DiagnosticKind, architectures: ImageArchitectures) {
        self.tree = tree
        isSimulated = tree.isSimulated
        let childCounts = tree.childCounts
        offsets = OffsetDecoder(tree: tree, architectures: architectures).offsets
        orientation =
            OrientationDecision(tree: tree, kind: kind, offsets: offsets, childCounts: childCounts)
            .orientation
        sites =
            CallSiteDecision(
                tree: tree, kind: kind, offsets: offsets, orientation: orientation,
                childCounts: childCounts, architectures: architectures
            ).sites
        let branches = childCounts.contains { $0 > 1 }
        // Only samplers adjust return addresses.
        let isMarked = orientation.rule == 1 && orientation.direction == .outermostFirst
        let looksSampled = kind == .unknown && (tree.isWeighted || isMarked)
        form = kind.isSampled || branches || looksSampled ? .sampled : .threads
    }

    var callStackTree: CallStackTree {
        var result = CallStackTree(form: form, remarks: remarks)
        result.frames.reserveCapacity(tree.frames.count)
        result.stacks.reserveCapacity(tree.stacks.count)
        for (index, stack) in tree.stacks.enumerated() {
            let start = result.frames.count
            if keepsOrder(stack) {
                copy(stack, into: &result.frames)
            } else {
                for path in paths(of: stack) { append(path, to: &result.frames) }
            }
            result.stacks.append(
                CallStack(
                    index: index, isAttributed: stack.isAttributed ?? false,
                    frames: start..<result.frames.count))
        }
        if form == .sampled { SampleCounts.complete(&result.frames) }
        if !tree.reportedFunctions.isEmpty { result.reportedFunctions = reportedFunctions }
        return result
    }

    private var remarks: [Remark] {
        var remarks = tree.remarks
        if orientation.rule == 4, !tree.frames.isEmpty { remarks.add(.orientationDefault) }
        let isFlat = tree.stacks.contains { $0.form == .flat && $0.frames.count > 1 }
        if form == .sampled, isFlat { remarks.add(.branchesLost) }
        return remarks
    }

    /// Whether the received direction is that of the form.
    private var isInOrder: Bool {
        (orientation.direction == .innermostFirst) == (form == .threads)
    }

    func keepsOrder(_ stack: ReceivedTree.Stack) -> Bool {
        stack.form == .nested && isInOrder
    }

    private func copy(_ stack: ReceivedTree.Stack, into frames: inout [CallFrame]) {
        let shift = frames.count - stack.frames.lowerBound
        for index in stack.frames {
            let parent = tree.frames[index].parent
            frames.append(frame(index, parent: parent.map { $0 + shift }))
        }
    }

    private func append(_ path: [Int], to frames: inout [CallFrame]) {
        let first = frames.count
        for (position, index) in path.enumerated() {
            frames.append(frame(index, parent: position == 0 ? nil : first + position - 1))
        }
    }

    /// Returns the linear stacks of a stack without branches, in the direction of the form.
    func paths(of stack: ReceivedTree.Stack) -> [[Int]] {
        var paths: [[Int]] = []
        for index in stack.frames {
            if startsPath(index, in: stack) { paths.append([]) }
            paths[paths.count - 1].append(index)
        }
        return isInOrder ? paths : paths.map { $0.reversed() }
    }

    /// Whether a frame starts a new path. A flat list of a sampled tree is split after each leaf,
    /// the only frames that are not adjusted. What follows belongs below an earlier frame, but it
    /// is unknown which one.
    private func startsPath(_ index: Int, in stack: ReceivedTree.Stack) -> Bool {
        if index == stack.frames.lowerBound { return true }
        if stack.form == .nested { return tree.frames[index].parent == nil }
        return form == .sampled && orientation.rule == 1 && !offsets[index - 1].isMinusOne
    }

    private func frame(_ index: Int, parent: Int?) -> CallFrame {
        var remarks = tree.frames[index].remarks
        if !isSimulated {
            for remark in offsets[index].remarks { remarks.add(remark) }
        }
        return CallFrame(
            image: tree.frames[index].image, imageName: tree.frames[index].name,
            site: sites[index], address: tree.frames[index].address.map(RuntimeAddress.init(_:)),
            loadAddress: offsets[index].loadAddress.map(RuntimeAddress.init(_:)),
            samples: form == .sampled ? tree.frames[index].samples : nil, parent: parent,
            remarks: remarks)
    }
}
