/// A function found at an offset. Its name and file are indices into tables, because many results
/// share them.
public struct ResolvedFunction: Hashable, Sendable {
    public var status: FrameStatus
    /// The index of its name in the tables of the lookup, or `nil` if it is unknown; see
    /// ``FunctionName``.
    public var name: Int?
    /// The index of its file in the tables of the lookup, or `nil` if it is unknown or
    /// compiler-generated.
    public var file: Int?
    /// The line, or 0 if it is unknown.
    public var line: UInt32
    /// The column, or 0 if it is unknown.
    public var column: UInt32
    /// See ``SymbolicatedFrame/isApproximate``.
    public var isApproximate: Bool
    /// Whether this call was inlined into the next function.
    public var isInlined: Bool
    /// Whether the code is not compiler-generated: it is in a source file, or its file is unknown.
    public var isInSourceFile: Bool
    /// Whether the debug information assigns this code to a compiler-generated file, even if the
    /// result has the nearest line of a source file.
    public var hasCompilerGeneratedFile = false
    /// The start of the contiguous code of an inlined call, or `nil` if it was not requested.
    public var callStart: ImageOffset?
    /// The distance from the start of the function according to the report, or `nil` if it is
    /// computed from the start.
    public var reportedDistance: UInt64?

    public init(
        status: FrameStatus, name: Int?, file: Int?, line: UInt32, column: UInt32,
        isApproximate: Bool, isInlined: Bool, isInSourceFile: Bool
    ) {
        self.status = status
        self.name = name
        self.file = file
        self.line = line
        self.column = column
        self.isApproximate = isApproximate
        self.isInlined = isInlined
        self.isInSourceFile = isInSourceFile
    }
}

/// The name of a function, mangled and demangled.
public struct FunctionName: Hashable, Sendable {
    public var linkageName: String
    public var shown: String
    /// Whether the name marks a compiler-generated function: a thunk, an outlined function.
    public var isCompilerGenerated: Bool

    public init(linkageName: String, shown: String, isCompilerGenerated: Bool) {
        self.linkageName = linkageName
        self.shown = shown
        self.isCompilerGenerated = isCompilerGenerated
    }
}
