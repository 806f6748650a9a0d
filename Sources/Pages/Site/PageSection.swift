public import CallStacks
import HTMLText

/// The sections of the site, in the order of the navigation.
public enum PageSection: String, Sendable, CaseIterable {
    case crashes, hangs, missing, builds, versions, health, drop

    /// The section of a list of diagnostics, or of one of them.
    ///
    /// - Parameter kind: The kind of the diagnostics, or `nil` for all kinds.
    public init(of kind: DiagnosticKind?) { self = kind == .hang ? .hangs : .crashes }

    var title: String {
        switch self {
        case .crashes: "Crashes"
        case .hangs: "Hangs"
        case .missing: "Missing symbols"
        case .builds: "Builds"
        case .versions: "Versions"
        case .health: "Health"
        case .drop: "Drop a file"
        }
    }

    /// Returns the link to its first page.
    func link(_ context: PageContext) -> LinkTarget {
        switch self {
        case .crashes: context.link()
        case .hangs: context.link(query: [("kind", DiagnosticKind.hang.rawValue)])
        case .missing, .builds, .versions, .health, .drop: context.link(rawValue)
        }
    }
}
