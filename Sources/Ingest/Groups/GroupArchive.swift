public import CallStacks

/// The port to groups of diagnostics, whose counts are kept up to date with the stored diagnostics.
public protocol GroupArchive: Sendable {
    /// Returns one page of groups, with their latest versions and days.
    func groups(_ query: GroupQuery) async throws(JournalError) -> [DiagnosticGroup]

    /// Returns the groups with a fingerprint, with all versions and days, the most recently seen
    /// first: one for each app, or only that of `app`.
    func groups(
        fingerprint: String, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup]

    /// Returns the groups of the newest diagnostics that wait for an image, groups with the most of
    /// them first, of one app or of all. Their number is limited.
    func groups(
        waitingFor image: ImageID, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup]

    /// Returns the groups with app frames in an image, the most recently seen first, of one app or
    /// of all. Their number is limited.
    func groups(
        using image: ImageID, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup]

    /// Returns the first 50 apps with diagnostics, in alphabetical order.
    func apps() async throws(JournalError) -> [String]

    /// Returns the versions of an app with diagnostics, the oldest first.
    func versions(of app: String) async throws(JournalError) -> [String]

    /// Returns the number of groups of each kind, of one app or of all.
    func groupCounts(app: String?) async throws(JournalError) -> [DiagnosticKind: Int]

    /// Returns the numbers of diagnostics by status that arrived since the start of the hour of a
    /// time, of one app or of all.
    func statusCounts(
        since time: UnixTime, app: String?
    ) async throws(JournalError) -> [SymbolicatedDiagnostic.Status: Int]

    /// Returns the newest versions of one app or of all apps.
    func coverage(app: String?) async throws(JournalError) -> [VersionCoverage]

    /// Returns one version of an app, or `nil` if it has no diagnostics.
    func coverage(
        of version: String, app: String
    ) async throws(JournalError) -> VersionCoverage?
}

/// A list of groups.
public struct GroupQuery: Hashable, Sendable {
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// The most recently seen come first.
        case last
        /// Those with the most diagnostics come first.
        case count
        /// The newest come first, by the time they were first seen.
        case new
    }

    public enum Readability: String, Hashable, Sendable, CaseIterable {
        /// At least one diagnostic has a symbolicated app frame.
        case readable
        case raw
    }

    /// The position of a group in a list, from which the next page starts.
    public struct Position: Hashable, Sendable, CustomStringConvertible {
        /// The number by which the list is ordered.
        public var key: Int64
        public var id: Int64

        public init(key: Int64, id: Int64) {
            self.key = key
            self.id = id
        }

        /// `1795305600000.17`
        public var description: String { "\(key).\(id)" }

        /// Returns `nil` unless `text` has the form of ``description``.
        public init?(_ text: String) {
            let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 2, let key = Int64(numbers[0]), let id = Int64(numbers[1])
            else { return nil }
            self.init(key: key, id: id)
        }
    }

    public var app: String?
    /// A version of ``app``. If it is set, counts and times are those of this version.
    public var version: String?
    public var kind: DiagnosticKind?
    public var readability: Readability?
    public var order: Order
    /// A part of the culprit, or of the exception's name or message. The case of ASCII letters is
    /// ignored.
    public var text: String?
    public var before: Position?
    /// The position at which the page ends. The page contains the groups right before it, and
    /// ``before`` is ignored.
    public var after: Position?
    public var limit: Int

    public static let largestLimit = 500
    /// The maximum numbers of versions and days of each group in a list.
    public static let versionLimit = 20
    public static let dayLimit = 30

    public init(app: String? = nil, order: Order = .last, limit: Int = 50) {
        self.app = app
        self.order = order
        self.limit = min(max(limit, 1), Self.largestLimit)
    }

    /// Returns the position of a group in the list.
    public func position(of group: DiagnosticGroup) -> Position {
        let key =
            switch order {
            case .last: group.lastSeen.rawValue
            case .count: Int64(group.diagnosticCount)
            case .new: group.firstSeen.rawValue
            }
        return Position(key: key, id: group.id)
    }
}
