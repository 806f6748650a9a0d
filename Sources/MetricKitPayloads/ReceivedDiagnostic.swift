public import CallStacks

/// A diagnostic as it was received: its frames are in the direction and with the offsets that the
/// system of the device wrote.
///
/// What an offset means may depend on the architecture of its image, which the debug file knows
/// best. So ask for ``imageIDs``, look the files up, and then ask for the diagnostic.
public struct ReceivedDiagnostic: Sendable {
    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    /// What it says besides its stacks, as the text of a JSON object with everything as it was
    /// received. Empty where it said nothing, and of log records.
    public var fields: [UInt8] = []
    /// What was noticed while it was read.
    public var remarks: [Remark]
    /// Its text in the upload, in bytes.
    public var range: Range<Int>
    var stacks: Stacks

    enum Stacks: Sendable {
        case tree(ReceivedTree)
        /// A text says which way it runs, and needs no resolution.
        case text(CallStackTree)
    }

    /// The images that frames can be looked up in, in the order in which they first appear.
    public var imageIDs: [ImageID] {
        switch stacks {
        case .tree(let tree):
            tree.isSimulated
                ? [] : Self.distinct(tree.frames.indices.lazy.map { tree.frames[$0].image })
        case .text(let tree):
            Self.distinct(tree.frames.indices.lazy.map { tree.frames[$0].image })
        }
    }

    private static func distinct(_ images: some Sequence<ImageID?>) -> [ImageID] {
        var distinct: [ImageID] = []
        var seen: Set<ImageID> = []
        var last: ImageID?
        // Frames of one image mostly follow one another.
        for image in images where image != last {
            last = image
            if let image, seen.insert(image).inserted { distinct.append(image) }
        }
        return distinct
    }

    /// How many physical frames it has.
    public var frameCount: Int {
        switch stacks {
        case .tree(let tree): tree.frames.count
        case .text(let tree): tree.frames.count
        }
    }

    /// The diagnostic with true offsets, in the direction of its form.
    ///
    /// - Parameter architectureOf: The architecture of an image's debug file, where one is at hand.
    public func resolved(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Diagnostic {
        var remarks = remarks
        let callStackTree: CallStackTree
        switch stacks {
        case .text(let tree): callStackTree = tree
        case .tree(let tree):
            if tree.isSimulated { remarks.note(.simulated) }
            callStackTree = resolution(of: tree, architectureOf).callStackTree
        }
        return Diagnostic(kind: kind, details: details, tree: callStackTree, remarks: remarks)
    }

    /// Which end of the received stacks was taken for the innermost one, and by which rule.
    public func orientation(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Orientation {
        switch stacks {
        case .text: Orientation(.innermostFirst, rule: 0)
        case .tree(let tree): resolution(of: tree, architectureOf).orientation
        }
    }

    func resolution(
        of tree: ReceivedTree, _ architectureOf: (ImageID) -> Architecture?
    ) -> TreeResolution {
        let declared = details.architecture.flatMap(Architecture.init(declared:))
        var known: [ImageID: Architecture] = [:]
        for image in imageIDs { known[image] = architectureOf(image) }
        return TreeResolution(
            tree: tree, kind: kind,
            architectures: Architectures(declared: declared, ofImages: known))
    }
}

/// The architecture of each frame: of its debug file, else of the device.
struct Architectures {
    let declared: Architecture?
    let ofImages: [ImageID: Architecture]

    func architecture(of frame: ReceivedTree.Frame) -> Architecture? {
        frame.image.flatMap { ofImages[$0] } ?? declared
    }
}

extension Architecture {
    /// A name as Apple or OpenTelemetry (`host.arch`) writes it.
    init?(declared name: String) {
        switch name {
        case "amd64", "x86-64": self = .x86On64
        case "aarch64": self = .arm64
        default: self.init(name: name)
        }
    }
}
