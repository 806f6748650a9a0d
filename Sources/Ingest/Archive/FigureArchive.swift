public import MetricKitSignals

/// The port to the figures of app versions, which are part of the worker's commits.
public protocol FigureArchive: Sendable {
    /// Returns the figures that match a query. Versions with the newest figures come first.
    func figures(_ query: FigureQuery) async throws(JournalError) -> [VersionFigures]
}

/// A list of figures.
public struct FigureQuery: Hashable, Sendable {
    /// `nil` for all apps.
    public var app: String?
    public var version: String?
    /// The first and the last day included, in days since 1970-01-01.
    public var firstDay: Int?
    public var lastDay: Int?
    /// Whether days are listed separately.
    public var isByDay: Bool
    /// The maximum number of results.
    public var limit: Int

    public static let largestLimit = 1_000

    public init(app: String? = nil, version: String? = nil, limit: Int = 100) {
        self.app = app
        self.version = version
        isByDay = false
        self.limit = min(max(limit, 1), Self.largestLimit)
    }
}
