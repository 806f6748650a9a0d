public import CallStacks

/// The images that a diagnostic needs and the offsets in each, without duplicates.
public struct SymbolicationPlan: Sendable {
    /// One image with the offsets to look up in it.
    public struct Request: Hashable, Sendable {
        public let image: ImageID
        /// The first name of the image in a frame.
        public fileprivate(set) var name: String?
        public fileprivate(set) var frameCount = 0
        /// The offsets to look up, ascending and distinct, so that one pass over an index serves
        /// all. Those of all requests share one array.
        public fileprivate(set) var offsets: ArraySlice<ImageOffset> = []
    }

    /// The reason why a frame needs no lookup, or the position of its result.
    enum Target: Hashable, Sendable {
        /// The positions of a request and of an offset in it.
        case lookup(request: Int, offset: Int)
        case unresolvable(FrameStatus)
    }

    /// The images of frames, in the order of their first frame. If the report has no list of
    /// images, images known from other sources follow, which may contain no frame.
    public private(set) var requests: [Request] = []
    /// The images without an identity, by name in the order of their first frame, with their
    /// numbers of frames.
    private(set) var unidentified: [(name: String?, frameCount: Int)] = []
    /// The targets, one per frame of the tree.
    private(set) var targets: [Target] = []

    public init(for diagnostic: Diagnostic) {
        let tree = diagnostic.tree
        let isSimulated =
            diagnostic.remarks.contains(.simulated) || tree.remarks.contains(.simulated)
        targets.reserveCapacity(tree.frames.count)
        requests.reserveCapacity(Self.usualImageCount)
        var wanted: [Wanted] = []
        wanted.reserveCapacity(tree.frames.count)
        var positions = RequestPositions()
        var positionOfName: [String?: Int] = [:]
        // Reads frames by index, because copying a frame is more expensive.
        for index in tree.frames.indices {
            guard let image = tree.frames[index].image else {
                targets.append(.unresolvable(.unknownImage))
                // A line without code, such as one for a truncated stack, is in no image.
                if tree.frames[index].imageName != nil || tree.frames[index].address != nil {
                    countUnidentified(tree.frames[index].imageName, positions: &positionOfName)
                }
                continue
            }
            targets.append(.unresolvable(.badOffset))
            guard let site = tree.frames[index].site, !isSimulated else { continue }
            let request = positions.position(of: image)
            if request == requests.count {
                requests.append(Request(image: image))
            }
            requests[request].frameCount += 1
            if requests[request].name == nil {
                requests[request].name = tree.frames[index].imageName
            }
            wanted.append(Wanted(request: request, offset: site.lookupOffset, frame: index))
        }
        assign(wanted)
        if diagnostic.remarks.contains(.noImageList) { add(unwanted: diagnostic.images) }
    }

    /// The number of images for which memory is reserved, enough for most diagnostics.
    fileprivate static let usualImageCount = 12

    private mutating func add(unwanted images: [ListedImage]) {
        var known = Set(requests.map(\.image))
        for image in images {
            guard let id = image.id, known.insert(id).inserted else { continue }
            requests.append(Request(image: id, name: image.name))
        }
    }

    /// Names the images that no frame names.
    mutating func addNames(_ nameOf: (Int, ImageID) -> String?) {
        for index in requests.indices where requests[index].name == nil {
            requests[index].name = nameOf(index, requests[index].image)
        }
    }

    private mutating func countUnidentified(_ name: String?, positions: inout [String?: Int]) {
        if let position = positions[name] {
            unidentified[position].frameCount += 1
        } else {
            positions[name] = unidentified.count
            unidentified.append((name, 1))
        }
    }

    /// The offset of a frame that is to be looked up.
    private struct Wanted {
        let request: Int
        let offset: ImageOffset
        let frame: Int
    }

    /// Sorts the offsets of each image and sets the targets of the frames.
    private mutating func assign(_ wanted: consuming [Wanted]) {
        wanted.sort { ($0.request, $0.offset) < ($1.request, $1.offset) }
        var offsets: [ImageOffset] = []
        offsets.reserveCapacity(wanted.count)
        var ranges = [Range<Int>](repeating: 0..<0, count: requests.count)
        var last: Wanted?
        for item in wanted {
            let isOfSameRequest = last?.request == item.request
            if !isOfSameRequest || last?.offset != item.offset { offsets.append(item.offset) }
            last = item
            let start = isOfSameRequest ? ranges[item.request].lowerBound : offsets.count - 1
            ranges[item.request] = start..<offsets.count
            targets[item.frame] = .lookup(
                request: item.request, offset: offsets.count - 1 - start)
        }
        for index in requests.indices { requests[index].offsets = offsets[ranges[index]] }
    }
}

extension SymbolicationPlan.Target {
    /// Returns the frame's result from those of all requests.
    func result(in results: [ImageLookupResults]) -> OffsetResolution {
        switch self {
        case .lookup(let request, let offset): results[request].result(at: offset)
        case .unresolvable(let status): .unresolved(status)
        }
    }

    /// Whether the frame's result is from a system image whose local symbols are missing.
    func hasExportsOnly(in results: [ImageLookupResults]) -> Bool {
        switch self {
        case .lookup(let request, _): results[request].hasExportsOnly
        case .unresolvable: false
        }
    }
}

/// The positions of images in the order of their first frame.
private struct RequestPositions {
    private var positions = [ImageID: Int](minimumCapacity: SymbolicationPlan.usualImageCount)
    /// The last image, cached because consecutive frames are usually in the same one.
    private var last: (image: ImageID, position: Int)?

    mutating func position(of image: ImageID) -> Int {
        if let last, last.image == image { return last.position }
        let position = positions[image] ?? positions.count
        positions[image] = position
        last = (image, position)
        return position
    }
}
