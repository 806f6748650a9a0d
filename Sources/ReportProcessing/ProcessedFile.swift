public import Problems

/// A file's symbolicated reports in an output format.
public struct ProcessedFile: Sendable {
    /// A report in the output format, or why the format cannot represent it.
    public typealias Output = Result<RenderedReport, RenderingRefusal>

    public let source: ParsedReportFile
    /// The reports in the order of the file; empty for ``OutputFormat/same``.
    public internal(set) var outputs: [Output] = []
    /// The rewritten file, or the reason why it cannot be written; `nil` unless the format is
    /// ``OutputFormat/same``.
    public internal(set) var rewritten: Result<[UInt8], RewritingRefusal>?

    init(of source: ParsedReportFile) { self.source = source }
}

/// Why a file cannot be written in its own format.
public enum RewritingRefusal: DescribedError, Hashable {
    /// A binary report stores the length before each string, so strings cannot be replaced.
    case binaryWithRedaction

    /// The problem without its subject, the file.
    public var problem: Problem {
        Problem(
            detail: "a binary .plcrash file cannot be redacted", suggestion: "use another format")
    }
}
