public import CallStacks

/// A diagnostic as it was received: its frames are in the direction and with the offsets that the
/// system of the device wrote.
///
/// What an offset means may depend on the architecture of its image, which the debug file knows
/// best. So ask for ``imageIDs``, look the files up, and then ask for the diagnostic.
public struct ReceivedDiagnostic: Sendable {
    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    /// What was noticed while it was read.
    public var remarks: [Remark]
    /// Its text in the upload, in bytes.
    public var range: Range<Int>
    var tree: ReceivedTree

    /// The images that frames can be looked up in, in the order in which they first appear.
    public var imageIDs: [ImageID] {
        if tree.isSimulated { return [] }
        var seen: Set<ImageID> = []
        return tree.frames.compactMap(\.image).filter { seen.insert($0).inserted }
    }

    /// How many physical frames it has.
    public var frameCount: Int { tree.frames.count }

    /// The diagnostic with true offsets, in the direction of its form.
    ///
    /// - Parameter architectureOf: The architecture of an image's debug file, where one is at hand.
    public func resolved(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Diagnostic {
        let resolution = resolution(architectureOf)
        var remarks = remarks
        if tree.isSimulated { remarks.note(.simulated) }
        return Diagnostic(
            kind: kind, details: details, tree: resolution.callStackTree, remarks: remarks)
    }

    /// Which end of the received stacks was taken for the innermost one, and by which rule.
    public func orientation(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Orientation {
        resolution(architectureOf).orientation
    }

    private func resolution(_ architectureOf: (ImageID) -> Architecture?) -> TreeResolution {
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
        self.init(name: name == "amd64" ? "x86_64" : name)
    }
}
