/// How symbolicated stacks are written into records.
public struct EnrichmentSettings: Hashable, Sendable {
    public enum StackFormat: String, Hashable, Sendable {
        /// As an Apple crash report has it.
        case text
        /// The JSON of one diagnostic, as `symbolist symbolicate --format json` prints it.
        case json
    }

    public var stackFormat: StackFormat
    /// Whether what came in stays beside the symbolicated stack.
    public var keepsOriginal: Bool
    /// Whether text shows source files with their folders.
    public var usesFullPaths: Bool

    public init(
        stackFormat: StackFormat = .text, keepsOriginal: Bool = true, usesFullPaths: Bool = false
    ) {
        self.stackFormat = stackFormat
        self.keepsOriginal = keepsOriginal
        self.usesFullPaths = usesFullPaths
    }
}
