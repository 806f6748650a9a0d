public import CallStacks

/// Information for the renderer that is not in the diagnostic.
public struct ReportContext: Sendable {
    /// Source lines of frames, by index into ``CallStacks/SymbolicatedDiagnostic/frames``.
    public var excerpts: [Int: SourceExcerpt]
    /// The command line's input, to name in commands that add missing symbols; `nil` if there is no
    /// command line, or the output must not depend on it.
    public var input: String?
    /// Whether the report is output of the command line.
    public var isForCommandLine: Bool
    /// For an image without symbols, the given image with the same name. Usually the program was
    /// rebuilt.
    public var otherBuilds: [ImageID: ImageID]

    public init(
        excerpts: [Int: SourceExcerpt] = [:], input: String? = nil,
        isForCommandLine: Bool = false, otherBuilds: [ImageID: ImageID] = [:]
    ) {
        self.excerpts = excerpts
        self.input = input
        self.isForCommandLine = isForCommandLine
        self.otherBuilds = otherBuilds
    }
}
