/// The call stacks of a diagnostic, in one of two normal forms.
///
/// Frames lie in one flat array linked by index, because a stack overflow is thousands of frames
/// deep and nested values would overflow the reader's own stack when they are walked or freed.
public struct CallStackTree: Hashable, Sendable {
    public enum Form: Hashable, Sendable {
        /// Linear stacks. Each runs innermost first: a frame's ``CallFrame/parent`` is the function
        /// that it called.
        case threads
        /// Weighted trees. Each runs outermost first: a frame's ``CallFrame/parent`` is its caller.
        case sampled
    }

    public var form: Form
    public var stacks: [CallStack]
    /// The frames of all stacks, every one after its parent.
    public var frames: [CallFrame]
    /// What was noticed about the tree as a whole.
    public var remarks: [Remark]
    /// What the report itself says of frames, innermost first, by indices into ``frames``.
    public var given: [Int: [GivenFunction]] = [:]
    /// Whether distances from the start of a function are counted to the byte that is looked up, as
    /// in Swift's own backtraces, and not to the address as received, as in Apple's reports.
    public var countsToLookup = false

    public init(
        form: Form, stacks: [CallStack] = [], frames: [CallFrame] = [], remarks: [Remark] = []
    ) {
        self.form = form
        self.stacks = stacks
        self.frames = frames
        self.remarks = remarks
    }
}

/// One thread of a ``CallStackTree``.
public struct CallStack: Hashable, Sendable {
    /// Its number in the report, or else its position, from 0.
    public var index: Int
    public var name: String?
    /// Whether the diagnostic is about this thread.
    public var isAttributed: Bool
    /// Its frames in ``CallStackTree/frames``; may be empty.
    public var frames: Range<Int>
    public var role: StackRole
    /// What the report calls a thread that it is about, where that did not crash: `Highlighted`.
    public var mark: String?
    /// The dispatch queue that ran on it. A thread without a name of its own has the queue's.
    public var queue: String?

    public init(
        index: Int, name: String? = nil, queue: String? = nil, isAttributed: Bool,
        frames: Range<Int>, role: StackRole = .thread
    ) {
        self.index = index
        self.name = name ?? queue
        self.queue = queue
        self.isAttributed = isAttributed
        self.frames = frames
        self.role = role
    }
}

/// One physical frame of a stack, before it is symbolicated.
public struct CallFrame: Hashable, Sendable {
    /// The image that its code belongs to, or `nil` when the diagnostic names none.
    public var image: ImageID?
    public var imageName: String?
    /// What its offset points at; `nil` when there is no offset that could be looked up.
    public var site: CallSite?
    /// The address as received.
    public var address: RuntimeAddress?
    /// Where the image was mapped, when address and offset tell.
    public var loadAddress: RuntimeAddress?
    /// Samples in this frame and everything below it; `nil` in linear stacks.
    public var samples: UInt64?
    /// An index into ``CallStackTree/frames``, `nil` for a root.
    public var parent: Int?
    public var remarks: [Remark]

    public init(
        image: ImageID?, imageName: String?, site: CallSite?, address: RuntimeAddress? = nil,
        loadAddress: RuntimeAddress? = nil, samples: UInt64? = nil, parent: Int? = nil,
        remarks: [Remark] = []
    ) {
        self.image = image
        self.imageName = imageName
        self.site = site
        self.address = address
        self.loadAddress = loadAddress
        self.samples = samples
        self.parent = parent
        self.remarks = remarks
    }
}
