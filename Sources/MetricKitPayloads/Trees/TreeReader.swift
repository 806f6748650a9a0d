import CallStacks
import JSONText

/// Reads a call-stack tree, which may be nested, flat, or from iOS 27.
struct TreeReader {
    private let document: JSONDocument
    private let limits: PayloadLimits
    private var frames: FrameReader
    private var tree = ReceivedTree()
    /// The lists of frames that are being read, each in a frame of the one before.
    private var open: [(frames: JSONChildCursor, holder: Holder)] = []
    /// The reader of names, or `nil` if neither names nor positions are requested.
    private var names: TreeFunctionReader?

    private init(document: JSONDocument, limits: PayloadLimits, readsNames: Bool) {
        self.document = document
        self.limits = limits
        frames = FrameReader(document: document, limits: limits)
        if readsNames { names = TreeFunctionReader(document: document, limits: limits) }
        tree.stacks.reserveCapacity(Self.usualStackCount)
        tree.frames.reserveCapacity(Self.usualFrameCount)
        open.reserveCapacity(Self.usualDepth)
    }

    /// Memory is reserved for most trees, so that it need not grow step by step.
    private static let usualStackCount = 24
    private static let usualFrameCount = 128
    private static let usualDepth = 48

    /// - Parameters:
    ///   - value: The object with `callStacks` or `callStackThreads`, or one that wraps it in
    ///     `callStackTree`, or a list of them.
    ///   - readsNames: Whether frames may have function names, which MetricKit's never do.
    static func tree(
        in value: JSONValue, limits: PayloadLimits, readsNames: Bool = false
    ) -> ReceivedTree {
        var reader = Self(document: value.document, limits: limits, readsNames: readsNames)
        reader.addTrees(in: value)
        reader.tree.reportedFunctions = reader.names?.reportedFunctions ?? [:]
        return reader.tree
    }

    /// Returns the positions of the frames of ``tree(in:limits:readsNames:)`` with names.
    static func nodes(in value: JSONValue, limits: PayloadLimits) -> [FrameNode] {
        var reader = Self(document: value.document, limits: limits, readsNames: true)
        reader.addTrees(in: value)
        return reader.names?.nodes ?? []
    }

    private mutating func addTrees(in value: JSONValue) {
        let unwrapped = value["callStackTree"] ?? value
        guard unwrapped.kind == .array else {
            addTree(unwrapped)
            return
        }
        for tree in unwrapped.elements { addTree(tree) }
    }

    private mutating func addTree(_ value: JSONValue) {
        let stacks = value["callStacks"] ?? value["callStackThreads"]
        if let stacks { addStacks(stacks) }
        addNames(BinaryNames(value["binaryInfo"], limits: limits))
    }

    private mutating func addStacks(_ stacks: JSONValue) {
        for stack in stacks.elements {
            guard tree.stacks.count < limits.stacksPerTree else {
                tree.remarks.add(.frameLimit)
                return
            }
            addStack(stack)
        }
    }

    private mutating func addStack(_ value: JSONValue) {
        let start = tree.frames.count
        let roots = value["callStackRootFrames"] ?? value["rootFrames"]
        if let roots {
            addNested(roots.valueIndex)
        } else if let list = value["callStackFrames"] {
            addFlat(list.valueIndex)
        }
        tree.stacks.append(
            ReceivedTree.Stack(
                form: roots == nil ? .flat : .nested,
                isAttributed: value["threadAttributed"]?.bool, frames: start..<tree.frames.count))
    }

    private mutating func addFlat(_ list: JSONValueIndex) {
        let start = tree.frames.count
        var frames = document.elements(of: list)
        while let frame = document.next(of: &frames) {
            guard names != nil else {
                _ = add(frame, heldBy: Holder())
                continue
            }
            var rest = frames
            let last = tree.frames.count > start ? tree.frames.count - 1 : nil
            let neighbours = TreeFunctionReader.Neighbours(
                before: last, after: document.next(of: &rest), isFlat: true)
            _ = add(frame, heldBy: Holder(), in: neighbours)
        }
    }

    /// The container of a list of frames: the stack, or a frame of it.
    private struct Holder {
        var index: Int?
        /// Whether a frame between it and the list was lost.
        var isLost = false
        var subFrames: JSONValueIndex?
    }

    /// Walks the frames of a stack, each before the frames that it contains.
    private mutating func addNested(_ roots: JSONValueIndex) {
        open.append((document.elements(of: roots), Holder()))
        while !open.isEmpty {
            guard let value = document.next(of: &open[open.count - 1].frames) else {
                open.removeLast()
                continue
            }
            guard let holder = add(value, heldBy: open[open.count - 1].holder),
                let subFrames = holder.subFrames, !document.isEmpty(subFrames)
            else { continue }
            if open.count < limits.nestedFrames {
                open.append((document.elements(of: subFrames), holder))
            } else {
                tree.remarks.add(.depthLimit)
            }
        }
    }

    /// Adds a frame, unless it has no identity because the text is damaged. Its children then
    /// become those of its parent.
    ///
    /// - Parameter flat: Its neighbours in a flat list.
    private mutating func add(
        _ value: JSONValueIndex, heldBy holder: Holder,
        in flat: TreeFunctionReader.Neighbours? = nil
    ) -> Holder? {
        guard tree.frames.count < limits.framesPerTree,
            (names?.inlinedCount ?? 0) < limits.framesPerTree
        else {
            tree.remarks.add(.frameLimit)
            return nil
        }
        var output = frames.frame(value)
        if output.wasCutByWriter { tree.remarks.add(.depthLimit) }
        if !document.isWhole(value), output.frame.image == nil || output.frame.offset == nil {
            return Holder(index: holder.index, isLost: true, subFrames: output.subFrames)
        }
        if names != nil {
            let neighbours = flat ?? nesting(of: output, heldBy: holder)
            if names?.takeInlined(
                value, frame: output.frame, neighbours: neighbours, in: tree.frames, reader: &frames
            ) == true {
                return Holder(
                    index: holder.index, isLost: holder.isLost, subFrames: output.subFrames)
            }
            names?.add(value, isFlat: neighbours.isFlat)
        }
        output.frame.parent = holder.index
        output.frame.isOrphan = holder.isLost
        tree.frames.append(output.frame)
        return Holder(index: tree.frames.count - 1, subFrames: output.subFrames)
    }

    private func nesting(
        of output: FrameReader.Output, heldBy holder: Holder
    ) -> TreeFunctionReader.Neighbours {
        var first: JSONValueIndex?
        if let subFrames = output.subFrames {
            var held = document.elements(of: subFrames)
            first = document.next(of: &held)
        }
        return TreeFunctionReader.Neighbours(before: holder.index, after: first, isFlat: false)
    }

    /// Fills in missing names of frames from those known for their image.
    private mutating func addNames(_ listed: BinaryNames) {
        guard tree.frames.indices.contains(where: { tree.frames[$0].name == nil }) else { return }
        var names = listed.names
        for frame in tree.frames {
            guard let image = frame.image, let name = frame.name else { continue }
            if names[image] == nil { names[image] = name }
        }
        for index in tree.frames.indices where tree.frames[index].name == nil {
            tree.frames[index].name = tree.frames[index].image.flatMap { names[$0] }
        }
    }
}
