/// The sections of the site, in the order of the navigation.
public enum PageSection: String, Sendable, CaseIterable {
    case crashes, missing, builds, versions, health, drop

    var title: String {
        switch self {
        case .crashes: "Crashes"
        case .missing: "Missing symbols"
        case .builds: "Builds"
        case .versions: "Versions"
        case .health: "Health"
        case .drop: "Drop a file"
        }
    }

    /// The segment of its path, or `nil` for the front page.
    var segment: String? { self == .crashes ? nil : rawValue }
}
