/// One function of the answer to an offset, whose texts are numbers: many answers share them.
public struct AnsweredFunction: Hashable, Sendable {
    public var status: FrameStatus
    /// Among the names of whoever answered; see ``FunctionName``.
    public var name: Int?
    /// Among the files of whoever answered; `nil` for code that nobody wrote too.
    public var file: Int?
    /// 0 where no line is known.
    public var line: UInt32
    /// 0 where no column is known.
    public var column: UInt32
    /// As in ``SymbolicatedFrame/isApproximate``.
    public var isApproximate: Bool
    /// Whether it is a call that was inlined into the next function.
    public var isInlined: Bool
    /// Whether its code is in a file that somebody wrote, or not known.
    public var isWritten: Bool
    /// Whether debug information says that this very code is in a file that nobody wrote, even if the
    /// nearest line that somebody did write stands here.
    public var hasUnwrittenFile = false
    /// Where the uninterrupted code of an inlined call starts; `nil` where nobody asked.
    public var callStart: ImageOffset?
    /// How far behind its start the frame is by what the report itself says; `nil` where that is
    /// counted from the starts.
    public var givenDistance: UInt64?

    public init(
        status: FrameStatus, name: Int?, file: Int?, line: UInt32, column: UInt32,
        isApproximate: Bool, isInlined: Bool, isWritten: Bool
    ) {
        self.status = status
        self.name = name
        self.file = file
        self.line = line
        self.column = column
        self.isApproximate = isApproximate
        self.isInlined = isInlined
        self.isWritten = isWritten
    }
}

/// The name of a function, as the debug file has it and as people read it.
public struct FunctionName: Hashable, Sendable {
    public var linkageName: String
    public var shown: String
    /// Whether the name says that the compiler made the function: a thunk, an outlined function.
    public var isCompilerGenerated: Bool

    public init(linkageName: String, shown: String, isCompilerGenerated: Bool) {
        self.linkageName = linkageName
        self.shown = shown
        self.isCompilerGenerated = isCompilerGenerated
    }
}
