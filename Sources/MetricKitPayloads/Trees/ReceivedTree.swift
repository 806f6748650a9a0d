import CallStacks

/// A call-stack tree as received, with its own direction and offsets.
///
/// Frames are in one flat array and linked by index, for the reason given at ``CallStackTree``.
struct ReceivedTree: Sendable {
    var stacks: [Stack] = []
    /// The frames of all stacks, each after its parent.
    var frames: [Frame] = []
    var remarks: [Remark] = []
    /// The functions that the tree itself names, innermost first, by index into ``frames``.
    var reportedFunctions: [Int: [ReportedFunction]] = [:]

    /// Whether it is from a source of samples only.
    var isOfSampler = false

    struct Stack: Sendable {
        enum Form: Sendable {
            /// Frames contain their sub-frames.
            case nested
            /// A flat list, which has lost the nesting of its frames.
            case flat
        }

        var form: Form
        /// Whether the diagnostic is about the stack, or `nil` if it is not marked.
        var isAttributed: Bool?
        var frames: Range<Int>
    }

    struct Frame: Sendable {
        var image: ImageID?
        var name: String?
        /// The number in the offset field, which may not be an offset.
        var offset: UInt64?
        var address: UInt64?
        var samples: UInt64?
        /// The frame that contains it, as an index into ``ReceivedTree/frames``; `nil` for a root
        /// and in a flat list.
        var parent: Int?
        /// Whether the containing frame was lost with the rest of a damaged text.
        var isOrphan = false
        var remarks: [Remark] = []
    }

    /// Whether the tree is the artificial frame of Xcode's "Simulate MetricKit Payloads".
    var isSimulated: Bool {
        !frames.isEmpty && frames.allSatisfy { $0.name == "testBinaryName" && $0.offset == 123 }
    }

    /// Whether a frame was sampled more than once. Only samplers count above 1.
    var isWeighted: Bool { frames.indices.contains { frames[$0].samples ?? 1 > 1 } }

    /// Whether samples are the probable source, in which stacks start with their outermost call.
    var looksSampled: Bool { isOfSampler || isWeighted }

    /// The number of frames that each frame contains.
    var childCounts: [Int] {
        var counts = Array(repeating: 0, count: frames.count)
        // Reads frames by index, because copying a frame is more expensive.
        for index in frames.indices {
            if let parent = frames[index].parent { counts[parent] += 1 }
        }
        return counts
    }
}
