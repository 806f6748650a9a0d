/// The output formats of symbolicated reports.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// Text for readers, in the layout of an Apple crash report.
    case text
    /// JSON for programs.
    case json
    /// The file itself, with functions and lines in place of addresses.
    case same
    /// Apple's `.crash` text, for tools that read it.
    case crash
    /// Markdown for issues and comments.
    case markdown
    /// Sampled stacks, one per line, for tools that draw flame graphs.
    case collapsed
    /// Sampled stacks as a file for the speedscope viewer.
    case speedscope

    /// Whether log lines around reports are kept.
    public var keepsLogLines: Bool { self == .text || self == .same }

    /// Whether inlined calls have a distance, as in Apple's formats.
    public var showsCallDistances: Bool { self == .same || self == .crash }

    /// Whether the output has room for remarks about a report.
    public var showsRemarks: Bool { self == .text || self == .json || self == .markdown }

    /// Whether the output lists images without symbols.
    public var namesMissingSymbols: Bool { self == .text || self == .markdown }
}
