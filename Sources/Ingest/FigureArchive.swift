public import MetricKitSignals

/// The port to the figures of app versions, which the worker's commits add to.
public protocol FigureArchive: Sendable {
    /// What the query asks for, the versions with the newest figures first.
    func figures(_ query: FigureQuery) async throws(JournalError) -> [VersionFigures]
}

/// Which figures to show.
public struct FigureQuery: Hashable, Sendable {
    /// `nil` for all apps.
    public var app: String?
    public var version: String?
    /// The first and the last day that count, in days since 1970-01-01.
    public var firstDay: Int?
    public var lastDay: Int?
    /// Whether each day is a row of its own.
    public var isByDay: Bool
    /// How many rows there are at most.
    public var limit: Int

    public static let largestLimit = 1_000

    public init(app: String? = nil, version: String? = nil, limit: Int = 100) {
        self.app = app
        self.version = version
        isByDay = false
        self.limit = min(max(limit, 1), Self.largestLimit)
    }
}
