import CallStacks
import MetricKitPayloads

/// A line of the heaviest stack, which has no depths, and its number in the file.
struct NodeRow {
    var line: Int
    var node: NodeLine
}

/// One process of a dump, while it is read.
struct SampledProcess {
    /// The process as `NAME [PID]`, as in the dump.
    var name: String
    /// ``name``, or `nil` if it is empty.
    var label: String? { name.isEmpty ? nil : name }
    /// The line at which its report begins.
    let start: Int
    var keys = ReportKeys()
    var trees: SampledTrees
    /// The identity of the main executable, if it is given outside the list of images.
    var mainImage: ImageID?
    private var images: [ListedImage] = []
    private let limits: PayloadLimits

    init(name: String, start: Int, limits: PayloadLimits) {
        self.name = name
        self.start = start
        self.limits = limits
        trees = SampledTrees(limits: limits)
    }

    /// Adds an image from its line in the list, which may contain other lines.
    mutating func addImage(_ line: ArraySlice<UInt8>) {
        guard var image = ImageLine(line)?.image else { return }
        guard images.count < limits.imagesPerTree else { return trees.record(.sizeLimit) }
        // The list may have a bundle identifier instead of the file's name, which frames have.
        image.name = image.path?.split(separator: "/").last.map(String.init) ?? image.name
        images.append(image)
    }

    /// Adds images listed elsewhere, unless the process lists its own.
    mutating func addUnlisted(_ images: [ListedImage]) {
        if self.images.isEmpty { self.images = images }
    }

    mutating func beginStack(name: String?, isAttributed: Bool) {
        trees.beginStack(name: name, isAttributed: isAttributed)
    }

    /// Returns the diagnostic, and the lines of its frames.
    ///
    /// - Parameter heaviest: The lines of the heaviest stack, which repeats frames of the trees.
    ///   Without trees, it is the only stack.
    func finished(
        in dump: ReportKeys, heaviest: [NodeRow] = []
    ) -> (Diagnostic, rows: (tree: [SampledTrees.Row], flat: [SampledTrees.Row])) {
        var trees = trees
        var flat: [SampledTrees.Row] = []
        let isPathAlone = trees.isEmpty
        if isPathAlone {
            trees.beginStack(name: nil, isAttributed: false)
            for (depth, row) in heaviest.enumerated() {
                trees.add(row.node, at: row.line, depth: depth)
            }
            flat = trees.rows
        } else {
            flat = Self.rows(of: heaviest, in: trees)
        }
        let architecture = dump.architecture(keys).flatMap(Architecture.init(reported:))
        let images = listedImages
        var diagnostic = Diagnostic(
            kind: dump.kind, details: dump.details(own: keys, process: name),
            tree: trees.callStackTree(in: SampledImages(images), on: architecture))
        diagnostic.images = images
        return (diagnostic, (isPathAlone ? [] : trees.rows, flat))
    }

    /// The images, with the main executable's identity from the process or the report's header.
    private var listedImages: [ListedImage] {
        guard let id = keys["UUID"].flatMap({ ImageID($0) }) ?? mainImage,
            !images.contains(where: { $0.id == id })
        else { return images }
        let path = keys["Path"]
        let name =
            path?.split(separator: "/").last.map(String.init) ?? ReportKeys.split(self.name).name
        var images = images
        if let index = images.firstIndex(where: { $0.id == nil && $0.name == name }) {
            images[index].id = id
        } else {
            images.append(ListedImage(id: id, name: name, path: path))
        }
        return images
    }

    /// Matches the lines of a stack with the frames that they repeat.
    private static func rows(of path: [NodeRow], in trees: SampledTrees) -> [SampledTrees.Row] {
        var physical: [NodeRow] = []
        var lines: [[Int]] = []
        for row in path {
            guard let frame = row.node.frame else { continue }
            if frame.isInlined, let owner = physical.last?.node.frame,
                frame.hasSameAddress(as: owner)
            {
                lines[lines.count - 1].append(row.line)
            } else {
                physical.append(row)
                lines.append([row.line])
            }
        }
        let frames = trees.frames(of: physical.compactMap { $0.node.frame?.address })
        return zip(lines, frames).flatMap { lines, frame in
            lines.enumerated().map { index, line in
                SampledTrees.Row(line: line, frame: frame, isInlined: index > 0)
            }
        }
    }
}
