import CallStacks
import JSONText

/// Reads the parts of a tree that MetricKit itself never writes: function names, and inlined calls
/// as separate objects. Also records the position of each frame.
///
/// An inlined call has the address of its function and is marked `inlined`. It is below the
/// function if callees are below, and around it if callers are; in a flat list it is after or
/// before the function. Together they are one frame.
struct TreeFunctionReader {
    private let document: JSONDocument
    private let limits: PayloadLimits
    private(set) var nodes: [FrameNode] = []
    /// The number of objects that are inlined calls.
    private(set) var inlinedCount = 0
    /// The functions of frames, outermost first.
    private var functions: [Int: [ReportedFunction]] = [:]
    /// Inlined calls that precede their function.
    private var waiting: [JSONValue] = []
    private var isInnermostFirst = false

    init(document: JSONDocument, limits: PayloadLimits) {
        self.document = document
        self.limits = limits
    }

    /// The functions of frames, innermost first.
    var reportedFunctions: [Int: [ReportedFunction]] { functions.mapValues { $0.reversed() } }

    /// The neighbours of an object.
    struct Neighbours {
        /// The frame that contains it, or the previous one in a flat list.
        var before: Int?
        /// The first frame that it contains, or the next one in a flat list.
        var after: JSONValueIndex?
        var isFlat: Bool
    }

    /// Consumes an object if it is an inlined call.
    ///
    /// - Returns: Whether it is an inlined call, and therefore not a frame.
    mutating func takeInlined(
        _ index: JSONValueIndex, frame: ReceivedTree.Frame, neighbours: Neighbours,
        in frames: [ReceivedTree.Frame], reader: inout FrameReader
    ) -> Bool {
        let value = document.value(at: index)
        guard value["inlined"]?.bool == true else { return false }
        if !isInnermostFirst, let owner = neighbours.before, frames[owner].hasSameAddress(as: frame)
        {
            nodes[owner].inlined.append(value)
            if let function = ReportedFunction(of: value, isInlined: true, limits: limits) {
                functions[owner]?.append(function)
            }
            inlinedCount += 1
            return true
        }
        guard let next = neighbours.after, reader.frame(next).frame.hasSameAddress(as: frame)
        else { return false }
        isInnermostFirst = true
        waiting.append(value)
        inlinedCount += 1
        return true
    }

    /// Adds a frame. Call this for all frames, in order.
    mutating func add(_ index: JSONValueIndex, isFlat: Bool) {
        let value = document.value(at: index)
        let function = ReportedFunction(of: value, isInlined: false, limits: limits)
        if let function {
            let inlined = waiting.reversed().compactMap {
                ReportedFunction(of: $0, isInlined: true, limits: limits)
            }
            functions[nodes.count] = [function] + inlined
        }
        nodes.append(FrameNode(value: value, inlined: waiting, isFlat: isFlat))
        waiting = []
    }
}

extension ReceivedTree.Frame {
    fileprivate func hasSameAddress(as other: Self) -> Bool {
        image == other.image && offset == other.offset && address == other.address
    }
}
