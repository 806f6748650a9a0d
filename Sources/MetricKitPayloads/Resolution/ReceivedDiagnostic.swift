public import CallStacks

/// A diagnostic as received: its frames have the direction and the offsets that the device wrote.
///
/// The meaning of an offset may depend on the architecture of its image, for which the debug file
/// is the best source. So read ``imageIDs``, find the files, and then resolve the diagnostic.
public struct ReceivedDiagnostic: Sendable {
    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    /// The facts other than its stacks, as the text of a JSON object with unchanged members. Empty
    /// if there are none, and for log records.
    public var fields: [UInt8] = []
    /// Remarks made while it was read.
    public var remarks: [Remark]
    /// The range of its text in the upload, in bytes.
    public var range: Range<Int>
    /// The images in which frames can be looked up, in the order of their first frame.
    public let imageIDs: [ImageID]
    /// See ``CallStacks/Diagnostic/images``.
    private var listedImages: [ListedImage] = []
    let stacks: Stacks

    enum Stacks: Sendable {
        case tree(ReceivedTree)
        /// Text and reports have a known direction, and need no resolution.
        case text(CallStackTree)
    }

    init(
        kind: DiagnosticKind, details: DiagnosticDetails, fields: [UInt8] = [],
        remarks: [Remark], range: Range<Int>, stacks: Stacks
    ) {
        self.kind = kind
        self.details = details
        self.fields = fields
        self.remarks = remarks
        self.range = range
        self.stacks = stacks
        imageIDs = stacks.imageIDs
    }

    /// Creates a diagnostic that was read from a report whose offsets have one meaning only.
    ///
    /// - Parameter range: The range of the report in the upload, in bytes.
    public init(_ diagnostic: Diagnostic, range: Range<Int>) {
        self.init(
            kind: diagnostic.kind, details: diagnostic.details, remarks: diagnostic.remarks,
            range: range, stacks: .text(diagnostic.tree))
        listedImages = diagnostic.images
    }

    public var frameCount: Int {
        switch stacks {
        case .tree(let tree): tree.frames.count
        case .text(let tree): tree.frames.count
        }
    }

    /// Returns the diagnostic with true offsets, in the direction of its form.
    ///
    /// - Parameter architectureOf: Returns the architecture of an image's debug file, if there is
    ///   one.
    public func resolved(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Diagnostic {
        var remarks = remarks
        let callStackTree: CallStackTree
        switch stacks {
        case .text(let tree): callStackTree = tree
        case .tree(let tree):
            if tree.isSimulated { remarks.add(.simulated) }
            callStackTree = resolution(of: tree, architectureOf: architectureOf).callStackTree
        }
        var diagnostic = Diagnostic(
            kind: kind, details: details, tree: callStackTree, remarks: remarks)
        diagnostic.images = listedImages
        return diagnostic
    }

    func resolution(
        of tree: ReceivedTree, architectureOf: (ImageID) -> Architecture?
    ) -> TreeResolution {
        let declared = details.architecture.flatMap(Architecture.init(declared:))
        var known: [ImageID: Architecture] = [:]
        for image in imageIDs { known[image] = architectureOf(image) }
        return TreeResolution(
            tree: tree, kind: kind,
            architectures: ImageArchitectures(declared: declared, ofImages: known))
    }
}

extension ReceivedDiagnostic.Stacks {
    /// See ``ReceivedDiagnostic/imageIDs``.
    fileprivate var imageIDs: [ImageID] {
        switch self {
        case .tree(let tree):
            tree.isSimulated
                ? [] : Self.distinct(tree.frames.indices.lazy.map { tree.frames[$0].image })
        case .text(let tree):
            Self.distinct(tree.frames.indices.lazy.map { tree.frames[$0].image })
        }
    }

    /// The memory to reserve. Most stacks are of fewer images.
    private static let usualImageCount = 12

    private static func distinct(_ images: some Sequence<ImageID?>) -> [ImageID] {
        var distinct: [ImageID] = []
        var seen = Set<ImageID>(minimumCapacity: usualImageCount)
        distinct.reserveCapacity(usualImageCount)
        var last: ImageID?
        // Consecutive frames are usually in the same image.
        for image in images where image != last {
            last = image
            if let image, seen.insert(image).inserted { distinct.append(image) }
        }
        return distinct
    }
}

/// The architecture of each frame: that of its debug file, or else of the device.
struct ImageArchitectures {
    let declared: Architecture?
    let ofImages: [ImageID: Architecture]

    func architecture(of frame: ReceivedTree.Frame) -> Architecture? {
        frame.image.flatMap { ofImages[$0] } ?? declared
    }
}

extension Architecture {
    /// Creates an architecture by Apple's or OpenTelemetry's name (`host.arch`).
    init?(declared name: String) {
        switch name {
        case "amd64", "x86-64": self = .x86On64
        case "aarch64": self = .arm64
        default: self.init(name: name)
        }
    }
}
