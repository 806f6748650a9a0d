import CallStacks
import JSONText

/// Reads a call-stack tree: nested, flat, or of iOS 27.
struct TreeReader {
    private let document: JSONDocument
    private let limits: PayloadLimits
    private var frames: FrameReader
    private var tree = ReceivedTree()

    private init(document: JSONDocument, limits: PayloadLimits) {
        self.document = document
        self.limits = limits
        frames = FrameReader(document: document, limits: limits)
    }

    /// - Parameter value: The object that holds `callStacks` or `callStackThreads`, or one that wraps
    ///   it in `callStackTree`.
    static func tree(in value: JSONValue, limits: PayloadLimits) -> ReceivedTree {
        var reader = Self(document: value.document, limits: limits)
        let unwrapped = value["callStackTree"] ?? value
        let stacks = unwrapped["callStacks"] ?? unwrapped["callStackThreads"]
        if let stacks { reader.addStacks(stacks) }
        reader.addNames(BinaryNames(unwrapped["binaryInfo"], limits: limits))
        return reader.tree
    }

    private mutating func addStacks(_ stacks: JSONValue) {
        for stack in stacks.elements {
            guard tree.stacks.count < limits.stacksPerTree else {
                tree.remarks.note(.frameLimit)
                return
            }
            addStack(stack)
        }
    }

    private mutating func addStack(_ value: JSONValue) {
        let start = tree.frames.count
        let roots = value["callStackRootFrames"] ?? value["rootFrames"]
        if let roots {
            addNested(roots.place)
        } else if let list = value["callStackFrames"] {
            var rest = document.elements(of: list.place)
            while let frame = document.next(of: &rest) { _ = add(frame, heldBy: Holder()) }
        }
        tree.stacks.append(
            ReceivedTree.Stack(
                form: roots == nil ? .flat : .nested,
                isAttributed: value["threadAttributed"]?.bool, frames: start..<tree.frames.count))
    }

    /// What holds a list of frames: the stack, or a frame of it.
    private struct Holder {
        var index: Int?
        /// Whether a frame between it and the list was lost.
        var isLost = false
        /// The frames that it holds.
        var subFrames: JSONPlace?
    }

    /// Walks the frames of a stack, each before the frames that it holds.
    private mutating func addNested(_ roots: JSONPlace) {
        var open: [(frames: JSONPlaces, holder: Holder)] = [
            (document.elements(of: roots), Holder())
        ]
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
                tree.remarks.note(.depthLimit)
            }
        }
    }

    /// Adds a frame, unless the end of a damaged text left it without what identifies it: then the
    /// frames that it holds move up.
    private mutating func add(_ value: JSONPlace, heldBy holder: Holder) -> Holder? {
        guard tree.frames.count < limits.framesPerTree else {
            tree.remarks.note(.frameLimit)
            return nil
        }
        var answer = frames.frame(value)
        if answer.wasCutByWriter { tree.remarks.note(.depthLimit) }
        if !document.isWhole(value), answer.frame.image == nil || answer.frame.offset == nil {
            return Holder(index: holder.index, isLost: true, subFrames: answer.subFrames)
        }
        answer.frame.parent = holder.index
        answer.frame.isOrphan = holder.isLost
        tree.frames.append(answer.frame)
        return Holder(index: tree.frames.count - 1, subFrames: answer.subFrames)
    }

    /// Gives each frame without a name the one that is known for its image.
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
