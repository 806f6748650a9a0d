/// A diagnostic with functions and lines in place of offsets.
public struct SymbolicatedDiagnostic: Hashable, Sendable {
    /// How much of it was resolved.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// Every frame of the app.
        case symbolicated
        /// Some frames of the app.
        case partial
        /// No frame of the app.
        case raw
    }

    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    public var status: Status
    /// The function that a person would put in the title.
    public var culprit: String?
    /// The row that ``culprit`` names, an index into ``frames``.
    public var culpritRow: Int?
    /// What stopped the process, by name: an Objective-C exception, a Mach exception or a signal.
    public var exceptionName: String?
    /// What it said, or what is known of it: `Index out of range`, `Could not access memory`.
    public var exceptionMessage: String?
    /// Equal for the same crash on another device, system version or load address. A change of line
    /// numbers alone does not change it.
    public var fingerprint: String
    public var form: CallStackTree.Form
    public var stacks: [SymbolicatedStack]
    /// The rows of all stacks, every one after its parent.
    public var frames: [SymbolicatedFrame]
    public var images: [ImageReport]
    /// As in ``Diagnostic/images``.
    public var reportedImages: [ReportedImage] = []
    public var remarks: [Remark]
    /// What was left out of it.
    public var redaction = RedactionLevel.none

    public init(
        kind: DiagnosticKind, details: DiagnosticDetails, status: Status, culprit: String?,
        fingerprint: String, form: CallStackTree.Form, stacks: [SymbolicatedStack],
        frames: [SymbolicatedFrame], images: [ImageReport], remarks: [Remark]
    ) {
        self.kind = kind
        self.details = details
        self.status = status
        self.culprit = culprit
        self.fingerprint = fingerprint
        self.form = form
        self.stacks = stacks
        self.frames = frames
        self.images = images
        self.remarks = remarks
    }
}

/// One thread of a ``SymbolicatedDiagnostic``.
public struct SymbolicatedStack: Hashable, Sendable {
    public var index: Int
    public var name: String?
    /// Whether the diagnostic is about this thread: the one that crashed or hung.
    public var isAttributed: Bool
    /// Its rows in ``SymbolicatedDiagnostic/frames``.
    public var frames: Range<Int>
    public var role: StackRole
    /// As in ``CallStack/mark``.
    public var mark: String?
    /// As in ``CallStack/queue``.
    public var queue: String?

    public init(
        index: Int, name: String?, isAttributed: Bool, frames: Range<Int>,
        role: StackRole = .thread, queue: String? = nil
    ) {
        self.index = index
        self.queue = queue
        self.name = name
        self.isAttributed = isAttributed
        self.frames = frames
        self.role = role
    }
}

/// One row of a symbolicated stack: a physical frame, or a call inlined into one.
public struct SymbolicatedFrame: Hashable, Sendable {
    /// The physical frame that it came from, an index into ``CallStackTree/frames``.
    public var physical: Int
    /// The row before it in the direction of the stack's form, an index into
    /// ``SymbolicatedDiagnostic/frames``; `nil` for a root.
    public var parent: Int?
    public var image: ImageID?
    public var imageName: String?
    public var offset: ImageOffset?
    public var address: RuntimeAddress?
    public var loadAddress: RuntimeAddress?
    public var samples: UInt64?
    public var status: FrameStatus
    /// Whether the image belongs to the app and not to the system.
    public var isInApp: Bool
    /// The function's name as a person reads it.
    public var function: String?
    /// The function's name as the debug file has it.
    public var mangled: String?
    /// The distance of ``offset`` from the start of the function that owns the code; `nil` for a
    /// call that was inlined, which has no start of its own.
    public var functionDistance: UInt64?
    /// The distance of ``offset`` from the start of the uninterrupted code of an inlined call; `nil`
    /// for the function that owns the code, and where nobody asked.
    public var callDistance: UInt64?
    public var file: SourceFile?
    /// 0 where no line is known.
    public var line: UInt32
    /// 0 where no column is known.
    public var column: UInt32
    /// Whether file and line are the nearest real ones of the same function, because the compiler
    /// gave this instruction none.
    public var isApproximate: Bool
    /// Whether this is a call that was inlined into the physical function.
    public var isInlined: Bool
    /// Whether the compiler made the function: a thunk, an outlined or a merged function.
    public var isCompilerGenerated: Bool
    /// As in ``AnsweredFunction/hasUnwrittenFile``.
    public var hasUnwrittenFile = false
    public var remarks: [Remark]

    public init(physical: Int, frame: CallFrame, status: FrameStatus) {
        self.physical = physical
        parent = nil
        image = frame.image
        imageName = frame.imageName
        offset = frame.site?.offset
        address = frame.address
        loadAddress = frame.loadAddress
        samples = frame.samples
        self.status = status
        isInApp = false
        function = nil
        mangled = nil
        functionDistance = nil
        callDistance = nil
        file = nil
        line = 0
        column = 0
        isApproximate = false
        isInlined = false
        isCompilerGenerated = false
        remarks = frame.remarks
    }
}

/// What became of one image that a diagnostic names.
public struct ImageReport: Hashable, Sendable {
    /// How well an image's symbols were found.
    public enum Status: String, Hashable, Sendable {
        /// With debug information.
        case found
        /// With a symbol table only.
        case noDebugInfo = "no_debug_info"
        case missing = "missing_image"
        case corrupt = "corrupt_index"
        /// The diagnostic gives no UUID for it.
        case unidentified = "unknown_image"
    }

    public var image: ImageID?
    public var name: String?
    /// The architecture by its name; of the symbols found, else of the diagnostic.
    public var architecture: String?
    public var status: Status
    /// How many physical frames wanted it.
    public var frameCount: Int

    public init(
        image: ImageID?, name: String?, architecture: String?, status: Status, frameCount: Int
    ) {
        self.image = image
        self.name = name
        self.architecture = architecture
        self.status = status
        self.frameCount = frameCount
    }
}
