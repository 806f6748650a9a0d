/// The call stacks of a diagnostic, in one of two normal forms.
///
/// Frames are in one flat array and linked by index, because a stack overflow is thousands of
/// frames deep, and walking or freeing nested values would overflow the reader's own stack.
public struct CallStackTree: Hashable, Sendable {
    public enum Form: Hashable, Sendable {
        /// Linear stacks, each innermost first: a frame's ``CallFrame/parent`` is the function that
        /// it called.
        case threads
        /// Weighted trees, each outermost first: a frame's ``CallFrame/parent`` is its caller.
        case sampled
    }

    public var form: Form
    public var stacks: [CallStack]
    /// The frames of all stacks, each after its parent.
    public var frames: [CallFrame]
    /// Remarks about the tree as a whole.
    public var remarks: [Remark]
    /// The functions that the report itself names, innermost first, by index into ``frames``.
    public var reportedFunctions: [Int: [ReportedFunction]] = [:]
    /// Whether distances from a function's start are measured to the offset that is looked up, as
    /// in Swift's own backtraces, and not to the address as received, as in Apple's reports.
    public var distancesEndAtLookupOffset = false
    /// The origin of the frames' offsets, until the files of their images are known.
    public var offsetOrigin = OffsetOrigin.image

    public init(
        form: Form, stacks: [CallStack] = [], frames: [CallFrame] = [], remarks: [Remark] = []
    ) {
        self.form = form
        self.stacks = stacks
        self.frames = frames
        self.remarks = remarks
    }
}

/// One thread of a ``CallStackTree`` or a ``SymbolicatedDiagnostic``.
public struct CallStack: Hashable, Sendable {
    /// The thread's number in the report, or else its position, from 0.
    public var index: Int
    public var name: String?
    /// Whether the diagnostic is about this thread: the one that crashed or hung.
    public var isAttributed: Bool
    /// The range of its frames among those of the tree or the diagnostic; may be empty.
    public var frames: Range<Int>
    public var role: StackRole
    /// The report's mark for an attributed thread that did not crash: `Highlighted`.
    public var mark: String?
    /// The dispatch queue that ran on it. A thread without a name is shown with the queue's name.
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
    /// The image that contains its code, or `nil` if the diagnostic does not identify it.
    public var image: ImageID?
    public var imageName: String?
    /// Its call site, or `nil` if it has no valid offset.
    public var site: CallSite?
    /// The address as received.
    public var address: RuntimeAddress?
    /// The image's load address, or `nil` if it cannot be computed from the address and the offset.
    public var loadAddress: RuntimeAddress?
    /// The number of samples in this frame and everything below it, or `nil` in linear stacks.
    public var samples: UInt64?
    /// An index into ``CallStackTree/frames``, or `nil` for a root.
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
