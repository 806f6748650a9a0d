import CallStacks
import JSONText

/// What a tree says of its frames that MetricKit itself never does: names, and inlined calls as
/// objects of their own; and where each frame stands.
///
/// An inlined call has the place of its function and is marked `inlined`. It stands below the
/// function where callees do, and around it where callers are below; in a flat list, behind or
/// before it. Together they are one frame.
struct TreeNames {
    private let document: JSONDocument
    private let limits: PayloadLimits
    private(set) var nodes: [FrameNode] = []
    /// How many objects stand for inlined calls.
    private(set) var inlinedCount = 0
    /// What frames are said to be, outermost first.
    private var functions: [Int: [GivenFunction]] = [:]
    /// Inlined calls whose function comes next.
    private var waiting: [JSONValue] = []
    private var isInnermostFirst = false

    init(document: JSONDocument, limits: PayloadLimits) {
        self.document = document
        self.limits = limits
    }

    /// What frames are said to be, innermost first.
    var given: [Int: [GivenFunction]] { functions.mapValues { $0.reversed() } }

    /// What stands around an object.
    struct Neighbours {
        /// The frame that holds it, or that comes before it in a flat list.
        var before: Int?
        /// The first frame that it holds, or that comes after it in a flat list.
        var after: JSONPlace?
        var isFlat: Bool
    }

    /// Takes an object that stands for an inlined call.
    ///
    /// - Returns: Whether it is one, and so no frame.
    mutating func takeInlined(
        _ place: JSONPlace, _ frame: ReceivedTree.Frame, _ neighbours: Neighbours,
        in frames: [ReceivedTree.Frame], _ reader: inout FrameReader
    ) -> Bool {
        let value = document.value(at: place)
        guard value["inlined"]?.bool == true else { return false }
        if !isInnermostFirst, let owner = neighbours.before, frames[owner].isAtPlace(of: frame) {
            nodes[owner].inlined.append(value)
            if let function = GivenFunction(of: value, isInlined: true, limits: limits) {
                functions[owner]?.append(function)
            }
            inlinedCount += 1
            return true
        }
        guard let next = neighbours.after, reader.frame(next).frame.isAtPlace(of: frame)
        else { return false }
        isInnermostFirst = true
        waiting.append(value)
        inlinedCount += 1
        return true
    }

    /// Adds a frame. All frames are added, in their order.
    mutating func add(_ place: JSONPlace, isFlat: Bool) {
        let value = document.value(at: place)
        let function = GivenFunction(of: value, isInlined: false, limits: limits)
        if let function {
            let inlined = waiting.reversed().compactMap {
                GivenFunction(of: $0, isInlined: true, limits: limits)
            }
            functions[nodes.count] = [function] + inlined
        }
        nodes.append(FrameNode(value: value, inlined: waiting, isFlat: isFlat))
        waiting = []
    }
}

extension ReceivedTree.Frame {
    fileprivate func isAtPlace(of other: Self) -> Bool {
        image == other.image && offset == other.offset && address == other.address
    }
}
