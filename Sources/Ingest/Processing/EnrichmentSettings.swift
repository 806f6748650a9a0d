public import CallStacks

/// The form of symbolicated stacks in records.
public struct EnrichmentSettings: Hashable, Sendable {
    public enum StackFormat: String, Hashable, Sendable {
        /// The text of an Apple crash report.
        case text
        /// The JSON of one diagnostic, as `symbolist symbolicate --format json` prints it.
        case json
    }

    public var stackFormat: StackFormat
    /// Whether to keep the received stack in addition to the symbolicated one.
    public var keepsOriginal: Bool
    /// Whether source files are shown with their folders.
    public var usesFullPaths: Bool
    /// The URL of the pages, to which the path of a diagnostic's page is added, or `nil` if records
    /// do not link to their pages.
    public var pagesURL: String?
    /// The redaction of exported diagnostics.
    public var redaction = RedactionLevel.none
    /// The attributes of Honeycomb's processor, or `nil` if they are not used.
    public var honeycomb: HoneycombContract?

    public init(
        stackFormat: StackFormat = .text, keepsOriginal: Bool = true, usesFullPaths: Bool = false
    ) {
        self.stackFormat = stackFormat
        self.keepsOriginal = keepsOriginal
        self.usesFullPaths = usesFullPaths
    }
}
