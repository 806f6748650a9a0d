public import CallStacks

/// Which images a diagnostic needs, and which offsets of each: everything to fetch and to look up,
/// each thing once.
public struct SymbolicationPlan: Sendable {
    /// One image with the offsets that are wanted of it.
    public struct Request: Hashable, Sendable {
        public let image: ImageID
        /// The first name that a frame gives the image.
        public fileprivate(set) var name: String?
        /// How many frames wait for it.
        public fileprivate(set) var frameCount = 0
        /// What to look up: ascending and distinct, so that one pass over an index serves them all.
        public fileprivate(set) var offsets: [ImageOffset] = []
    }

    /// Why a frame needs no lookup, or where its answer will be.
    enum Target: Hashable, Sendable {
        /// An offset of a request, by their positions.
        case lookup(request: Int, offset: Int)
        case unresolvable(FrameStatus)
    }

    /// In the order in which the frames name the images first; then those that are known of a report
    /// without a list of images, which no frame is sure to lie in.
    public private(set) var requests: [Request] = []
    /// How many frames name an image without an identity, by the name they give, in that order.
    private(set) var unidentified: [(name: String?, frameCount: Int)] = []
    /// One for each frame of the tree.
    private(set) var targets: [Target] = []

    public init(for diagnostic: Diagnostic) {
        let tree = diagnostic.tree
        let isSimulated =
            diagnostic.remarks.contains(.simulated) || tree.remarks.contains(.simulated)
        targets.reserveCapacity(tree.frames.count)
        var wanted: [[(offset: ImageOffset, frame: Int)]] = []
        var positions = RequestPositions()
        var positionOfName: [String?: Int] = [:]
        // By index, because to copy a frame costs more than to look at it.
        for index in tree.frames.indices {
            guard let image = tree.frames[index].image else {
                targets.append(.unresolvable(.unknownImage))
                countUnidentified(tree.frames[index].imageName, &positionOfName)
                continue
            }
            targets.append(.unresolvable(.badOffset))
            guard let site = tree.frames[index].site, !isSimulated else { continue }
            let request = positions.position(of: image)
            if request == requests.count {
                requests.append(Request(image: image))
                wanted.append([])
            }
            requests[request].frameCount += 1
            if requests[request].name == nil {
                requests[request].name = tree.frames[index].imageName
            }
            wanted[request].append((site.lookupOffset, index))
        }
        for request in requests.indices { assign(wanted[request], to: request) }
        if diagnostic.remarks.contains(.noImageList) { add(unwanted: diagnostic.images) }
    }

    private mutating func add(unwanted images: [ReportedImage]) {
        for image in images {
            guard let id = image.id, !requests.contains(where: { $0.image == id }) else { continue }
            requests.append(Request(image: id, name: image.name))
        }
    }

    private mutating func countUnidentified(_ name: String?, _ positions: inout [String?: Int]) {
        if let position = positions[name] {
            unidentified[position].frameCount += 1
        } else {
            positions[name] = unidentified.count
            unidentified.append((name, 1))
        }
    }

    /// Sorts the offsets of one image, and points its frames to them.
    private mutating func assign(
        _ wanted: [(offset: ImageOffset, frame: Int)], to request: Int
    ) {
        for (offset, frame) in wanted.sorted(by: { $0.offset < $1.offset }) {
            if requests[request].offsets.last != offset { requests[request].offsets.append(offset) }
            let position = requests[request].offsets.count - 1
            targets[frame] = .lookup(request: request, offset: position)
        }
    }
}

extension SymbolicationPlan.Target {
    /// What became of the frame, by the answers to all requests.
    func answer(in answers: [ImageAnswers]) -> OffsetAnswer {
        switch self {
        case .lookup(let request, let offset): answers[request].answer(at: offset)
        case .unresolvable(let status): .unresolved(status)
        }
    }
}

/// The positions of images in the order in which they came first.
private struct RequestPositions {
    private var positions: [ImageID: Int] = [:]
    /// Frames of one image mostly follow one another.
    private var last: (image: ImageID, position: Int)?

    mutating func position(of image: ImageID) -> Int {
        if let last, last.image == image { return last.position }
        let position = positions[image] ?? positions.count
        positions[image] = position
        last = (image, position)
        return position
    }
}
