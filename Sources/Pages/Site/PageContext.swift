public import HTMLText

/// The values that every page needs besides its own content.
public struct PageContext: Sendable {
    /// The colours that the user chose. By default, they are those of the operating system.
    public enum Theme: String, Sendable, CaseIterable {
        case light, dark
    }

    /// The path below which the pages are served, without a slash at the end; empty for the root.
    public var prefix: String
    /// The address by which clients reach the service, for the commands that pages show.
    public var serverURL: String
    /// The paths of the style sheet, the script and the icon.
    public var styleSheet: LinkTarget
    public var script: LinkTarget
    public var icon: LinkTarget
    public var theme: Theme?
    /// The name of the token with which the user signed in, or `nil` if the service has no tokens.
    public var viewer: String?
    /// Whether the service has tokens, so that commands need one.
    public var needsToken = false
    /// The path and query of the page itself, to which forms in the header return.
    public var here = ""
    /// The parts that the page lacks, each with the reason.
    public var failedParts: [String] = []

    public init(
        prefix: String, serverURL: String, styleSheet: LinkTarget, script: LinkTarget,
        icon: LinkTarget,
        theme: Theme? = nil, viewer: String? = nil
    ) {
        self.prefix = prefix
        self.serverURL = serverURL
        self.styleSheet = styleSheet
        self.script = script
        self.icon = icon
        self.theme = theme
        self.viewer = viewer
    }

    /// Returns a link within the site.
    func link(
        _ segments: String..., query: [(name: String, value: String?)] = [],
        fragment: String? = nil
    ) -> LinkTarget {
        LinkTarget(prefix: prefix, segments: segments, query: query, fragment: fragment)
    }
}
