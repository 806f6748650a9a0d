import CallStacks
import MetricKitPayloads

/// The call trees of one process, built line by line.
struct SampledTrees {
    /// A line of a tree.
    struct Row: Sendable {
        /// The index into the lines of the file.
        var line: Int
        /// The frame's index, or `nil` for a line without a frame.
        var frame: Int?
        /// Whether the line is a call inlined into the function of an earlier row.
        var isInlined = false
    }

    private struct Node {
        /// The index into ``names``.
        var name: Int?
        var offset: UInt64?
        /// The address, or `nil` for a line without one.
        var address: UInt64?
        var samples: UInt64
        var parent: Int?
        var isLeaf = true
    }

    private let limits: PayloadLimits
    private var nodes: [Node] = []
    private var names: [String] = []
    private var numbers: [String: Int] = [:]
    /// Outermost first.
    private var given: [Int: [ReportedFunction]] = [:]
    private var stacks: [CallStack] = []
    /// Whether the current stack exceeds the limit. Its frames belong to no other stack.
    private var isRefused = false
    /// The possible parents of the next line, outermost first.
    private var open: [(depth: Int, node: Int)] = []
    /// The previous line, if it has a frame: inlined calls follow their function.
    private var last: (frame: SampledFrame, depth: Int, node: Int)?
    private(set) var rows: [Row] = []
    private(set) var remarks: [Remark] = []

    init(limits: PayloadLimits) { self.limits = limits }

    /// Whether no line has a frame with an address.
    private(set) var isEmpty = true

    mutating func beginStack(name: String?, isAttributed: Bool) {
        open = []
        last = nil
        isRefused = stacks.count >= limits.stacksPerTree
        guard !isRefused else {
            record(.frameLimit)
            return
        }
        stacks.append(
            CallStack(
                index: stacks.count, name: name, isAttributed: isAttributed,
                frames: nodes.count..<nodes.count))
    }

    /// - Parameter depth: The depth of a line in a stack without depths.
    mutating func add(_ line: NodeLine, at number: Int, depth: Int? = nil) {
        let depth = depth ?? line.depth
        if stacks.isEmpty { beginStack(name: nil, isAttributed: false) }
        guard !isRefused, nodes.count < limits.framesPerTree else {
            if line.frame != nil { record(.frameLimit) }
            addUnnamed(depth: depth, at: number)
            return
        }
        guard let frame = line.frame else {
            addUnnamed(depth: depth, at: number)
            return addUnaddressed(line, depth: depth)
        }
        if let last, frame.isInlined, depth == last.depth + 1, frame.hasSameAddress(as: last.frame)
        {
            addInlined(frame, depth: depth, to: last.node, at: number)
            return
        }
        close(downTo: depth)
        isEmpty = false
        rows.append(Row(line: number, frame: nodes.count))
        given[nodes.count] = frame.function.map { [$0] }
        last = (frame, depth, nodes.count)
        append(
            Node(
                name: frame.image.map { name(line.bytes.text($0)) }, offset: frame.offset,
                address: frame.address, samples: line.count), depth: depth)
    }

    /// Adds a line with samples and without an address. It stays unchanged in its file.
    private mutating func addUnaddressed(_ line: NodeLine, depth: Int) {
        if let code = line.unaddressedCode {
            let image = name(line.bytes.text(code.image))
            append(Node(name: image, offset: code.offset, samples: line.count), depth: depth)
        } else if let note = line.note {
            given[nodes.count] = [ReportedFunction(name: note)]
            append(Node(samples: line.count), depth: depth)
        }
    }

    private mutating func append(_ node: Node, depth: Int) {
        var node = node
        node.parent = open.last?.node
        open.append((depth, nodes.count))
        nodes.append(node)
        guard let stack = stacks.indices.last else { return }
        stacks[stack].frames = stacks[stack].frames.lowerBound..<nodes.count
    }

    /// Adds a line without a frame. Lines below it belong to the frame above.
    mutating func addUnnamed(depth: Int, at number: Int) {
        close(downTo: depth)
        last = nil
        rows.append(Row(line: number, frame: nil))
    }

    private mutating func addInlined(
        _ frame: SampledFrame, depth: Int, to node: Int, at number: Int
    ) {
        rows.append(Row(line: number, frame: node, isInlined: true))
        last = (frame, depth, node)
        if let function = frame.function { given[node]?.append(function) }
    }

    private mutating func close(downTo depth: Int) {
        while let innermost = open.last, innermost.depth >= depth { open.removeLast() }
        if let parent = open.last { nodes[parent.node].isLeaf = false }
    }

    private mutating func name(_ text: String) -> Int {
        if let known = numbers[text] { return known }
        names.append(String(text.prefix(limits.nameLength)))
        numbers[text] = names.count - 1
        return names.count - 1
    }

    mutating func record(_ remark: Remark) {
        remarks.add(remark)
    }
}

extension SampledTrees {
    /// Returns the frames for lines that repeat one path of the trees, matched by address and by
    /// whether they are leaves.
    func frames(of path: [UInt64]) -> [Int?] {
        let wanted = Set(path)
        var inner: [UInt64: Int] = [:]
        var leaves: [UInt64: Int] = [:]
        for (index, node) in nodes.enumerated() {
            guard let address = node.address, wanted.contains(address) else { continue }
            if node.isLeaf {
                if leaves[address] == nil { leaves[address] = index }
            } else if inner[address] == nil {
                inner[address] = index
            }
        }
        return path.enumerated().map { position, address in
            position == path.count - 1
                ? leaves[address] ?? inner[address] : inner[address] ?? leaves[address]
        }
    }

    /// Returns the trees with their frames assigned to images.
    ///
    /// - Parameter architecture: The architecture of the process.
    func callStackTree(in images: SampledImages, on architecture: Architecture?) -> CallStackTree {
        var tree = CallStackTree(form: .sampled, stacks: stacks, remarks: remarks)
        tree.frames.reserveCapacity(nodes.count)
        for node in nodes {
            tree.frames.append(frame(node, images: images, architecture: architecture))
        }
        SampleCounts.complete(&tree.frames)
        tree.reportedFunctions = given.mapValues { $0.reversed() }
        return tree
    }

    private func frame(
        _ node: Node, images: SampledImages, architecture: Architecture?
    ) -> CallFrame {
        let name = node.name.map { names[$0] }
        guard name != nil || node.address != nil else {
            return CallFrame(
                image: nil, imageName: nil, site: nil, samples: node.samples, parent: node.parent)
        }
        let code = images.codeOffset(of: node.address, named: name, offset: node.offset)
        let site = code.offset.map(ImageOffset.init(_:)).map { offset in
            code.isMovedBack
                ? .adjusted(offset)
                : CallSite(offset, isReturnAddress: !node.isLeaf, on: architecture)
        }
        return CallFrame(
            image: code.image?.id, imageName: name ?? code.image?.name, site: site,
            address: node.address.map { RuntimeAddress($0) },
            loadAddress: site == nil ? nil : code.image?.base, samples: node.samples,
            parent: node.parent, remarks: code.image?.id == nil ? [.noUUID] : [])
    }
}
