/// A diagnostic with functions and lines instead of offsets.
public struct SymbolicatedDiagnostic: Hashable, Sendable {
    /// The extent to which the diagnostic was resolved.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// All app frames are resolved.
        case symbolicated
        /// Some app frames are resolved.
        case partial
        /// No app frame is resolved.
        case raw
    }

    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    public var status: Status
    /// The function to name in a title.
    public var culprit: String?
    /// The frame of ``culprit``, as an index into ``frames``.
    public var culpritIndex: Int?
    /// The name of the cause: an Objective-C exception, a Mach exception or a signal.
    public var exceptionName: String?
    /// The exception's message, or its general meaning: `Index out of range`,
    /// `Could not access memory`.
    public var exceptionMessage: String?
    /// A key that is the same for the same crash on another device, on another system version or at
    /// another load address. It does not depend on line numbers.
    public var fingerprint: String
    public var form: CallStackTree.Form
    public var stacks: [CallStack]
    /// The frames of all stacks, each after its parent.
    public var frames: [SymbolicatedFrame]
    public var images: [ImageStatus]
    /// See ``Diagnostic/images``.
    public var listedImages: [ListedImage] = []
    public var remarks: [Remark]
    /// The level at which the diagnostic was redacted.
    public var redaction = RedactionLevel.none

    public init(
        kind: DiagnosticKind, details: DiagnosticDetails, status: Status, culprit: String?,
        fingerprint: String, form: CallStackTree.Form, stacks: [CallStack],
        frames: [SymbolicatedFrame], images: [ImageStatus], remarks: [Remark]
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

/// One frame of a symbolicated stack: a physical frame, or a call inlined into one.
public struct SymbolicatedFrame: Hashable, Sendable {
    /// The physical frame that it was expanded from, an index into ``CallStackTree/frames``.
    public var physical: Int
    /// The previous frame in the direction of the stack's form, as an index into
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
    /// The demangled name of the function.
    public var function: String?
    /// The function's name in the debug file.
    public var mangled: String?
    /// The distance of ``offset`` from the start of the function that owns the code, or `nil` for
    /// an inlined call.
    public var functionDistance: UInt64?
    /// The distance of ``offset`` from the start of the contiguous code of an inlined call, or
    /// `nil` for the function that owns the code and if it was not requested.
    public var callDistance: UInt64?
    public var file: SourceFile?
    /// The line, or 0 if it is unknown.
    public var line: UInt32
    /// The column, or 0 if it is unknown.
    public var column: UInt32
    /// Whether the file and line are the nearest ones in the same function, because the compiler
    /// assigned none to this instruction.
    public var isApproximate: Bool
    /// Whether this call was inlined into the physical function.
    public var isInlined: Bool
    /// Whether the function is compiler-generated: a thunk, an outlined or a merged function.
    public var isCompilerGenerated: Bool
    /// See ``ResolvedFunction/hasCompilerGeneratedFile``.
    public var hasCompilerGeneratedFile = false
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
