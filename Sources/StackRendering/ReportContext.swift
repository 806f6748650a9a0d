public import CallStacks

/// What whoever prints a report knows besides the diagnostic.
public struct ReportContext: Sendable {
    /// Source lines of rows, by indices into ``CallStacks/SymbolicatedDiagnostic/frames``.
    public var excerpts: [Int: SourceExcerpt]
    /// What the command line was given to read; the commands that would supply missing symbols name
    /// it. `nil` where no command line is at hand.
    public var input: String?
    /// Images of the same names among the symbols that were given, by those that are wanted: mostly
    /// the program was built again.
    public var otherBuilds: [ImageID: ImageID]

    public init(
        excerpts: [Int: SourceExcerpt] = [:], input: String? = nil,
        otherBuilds: [ImageID: ImageID] = [:]
    ) {
        self.excerpts = excerpts
        self.input = input
        self.otherBuilds = otherBuilds
    }
}
