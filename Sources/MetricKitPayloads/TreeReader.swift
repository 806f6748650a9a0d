import CallStacks
import JSONText

/// Reads a call-stack tree: nested, flat, or of iOS 27.
struct TreeReader {
    private let limits: PayloadLimits
    private var frames: FrameReader
    private var tree = ReceivedTree()

    init(limits: PayloadLimits) {
        self.limits = limits
        frames = FrameReader(limits: limits)
    }

    /// - Parameter value: The object that holds `callStacks` or `callStackThreads`, or one that wraps
    ///   it in `callStackTree`.
    static func tree(in value: JSONValue, limits: PayloadLimits) -> ReceivedTree {
        var reader = Self(limits: limits)
        let unwrapped = value["callStackTree"] ?? value
        let stacks = unwrapped["callStacks"] ?? unwrapped["callStackThreads"]
        for stack in stacks.map({ Array($0.elements) }) ?? [] {
            guard reader.tree.stacks.count < limits.stacksPerTree else {
                reader.tree.remarks.note(.frameLimit)
                break
            }
            reader.addStack(stack)
        }
        reader.addNames(BinaryNames(unwrapped["binaryInfo"], limits: limits))
        return reader.tree
    }

    private mutating func addStack(_ value: JSONValue) {
        let start = tree.frames.count
        let roots = value["callStackRootFrames"] ?? value["rootFrames"]
        if let roots {
            addNested(roots)
        } else if let list = value["callStackFrames"] {
            for frame in list.elements { _ = add(frame, parent: nil) }
        }
        tree.stacks.append(
            ReceivedTree.Stack(
                form: roots == nil ? .flat : .nested,
                isAttributed: value["threadAttributed"]?.bool, frames: start..<tree.frames.count))
    }

    /// Walks the frames of a stack, each before the frames that it holds.
    private mutating func addNested(_ roots: JSONValue) {
        var open: [(frames: JSONElements, parent: Int?)] = [(roots.elements, nil)]
        while !open.isEmpty {
            guard let value = open[open.count - 1].frames.next() else {
                open.removeLast()
                continue
            }
            let parent = open[open.count - 1].parent
            guard let (index, subFrames) = add(value, parent: parent) else { continue }
            guard let subFrames, subFrames.elements.contains(where: { _ in true }) else { continue }
            if open.count < limits.nestedFrames {
                open.append((subFrames.elements, index))
            } else {
                tree.remarks.note(.depthLimit)
            }
        }
    }

    /// - Returns: The frame's index, or that of its parent when the end of a damaged text left it
    ///   without what identifies it; and the frames that it holds.
    private mutating func add(_ value: JSONValue, parent: Int?) -> (Int?, JSONValue?)? {
        guard tree.frames.count < limits.framesPerTree else {
            tree.remarks.note(.frameLimit)
            return nil
        }
        let answer = frames.frame(value, parent: parent)
        if answer.wasCutByWriter { tree.remarks.note(.depthLimit) }
        let isLost = !value.isWhole && (answer.frame.image == nil || answer.frame.offset == nil)
        if isLost { return (parent, answer.subFrames) }
        tree.frames.append(answer.frame)
        return (tree.frames.count - 1, answer.subFrames)
    }

    /// Gives each frame without a name the one that is known for its image.
    private mutating func addNames(_ listed: BinaryNames) {
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
