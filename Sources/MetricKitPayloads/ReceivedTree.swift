import CallStacks

/// A call-stack tree as it was received: in its own direction, with its own offsets.
///
/// Frames lie in one flat array linked by index, because a stack overflow is thousands of frames
/// deep and nested values would overflow the reader's own stack when they are walked or freed.
struct ReceivedTree: Sendable {
    var stacks: [Stack] = []
    /// Every frame after its parent.
    var frames: [Frame] = []
    var remarks: [Remark] = []
    /// What the tree itself says of frames, innermost first, by indices into ``frames``.
    var given: [Int: [GivenFunction]] = [:]

    struct Stack: Sendable {
        enum Form: Sendable {
            /// Frames hold their sub-frames.
            case nested
            /// A list of frames that forgot which of them held which.
            case flat
        }

        var form: Form
        /// `nil` where the diagnostic does not say.
        var isAttributed: Bool?
        var frames: Range<Int>
    }

    struct Frame: Sendable {
        var image: ImageID?
        var name: String?
        /// The number in the offset field, which may be something else than an offset.
        var offset: UInt64?
        var address: UInt64?
        var samples: UInt64?
        /// The frame that holds it, an index into ``ReceivedTree/frames``; `nil` for a root and in a
        /// flat list.
        var parent: Int?
        /// Whether the frame that held it was lost with the rest of a damaged text.
        var isOrphan = false
        var remarks: [Remark] = []
    }

    /// Xcode's "Simulate MetricKit Payloads" sends one made-up frame, which nothing can name.
    var isSimulated: Bool {
        !frames.isEmpty && frames.allSatisfy { $0.name == "testBinaryName" && $0.offset == 123 }
    }

    /// How many frames each frame holds.
    var childCounts: [Int] {
        var counts = Array(repeating: 0, count: frames.count)
        // By index, because to copy a frame costs more than to look at it.
        for index in frames.indices {
            if let parent = frames[index].parent { counts[parent] += 1 }
        }
        return counts
    }
}
