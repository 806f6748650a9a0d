public import CallStacks

/// The port to the merged stacks of sampled diagnostics.
public protocol SampledStackArchive: Sendable {
    /// Returns the ids of the newest diagnostics' stacks, newest first. The stacks of a revision
    /// have a new id.
    func sampledStackIDs(_ query: FlameQuery) async throws(JournalError) -> [Int64]

    /// Returns the encoded stacks with these ids, except those that were removed meanwhile.
    func sampledStacks(_ ids: [Int64]) async throws(JournalError) -> [Int64: [UInt8]]

    /// Returns the number of stored diagnostics that match a query, with or without stored stacks.
    func diagnosticCount(_ query: FlameQuery) async throws(JournalError) -> Int
}

/// The diagnostics that are merged into one flame graph.
public struct FlameQuery: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        /// The diagnostics of one kind in a version of an app.
        case version(String, app: String, kind: DiagnosticKind)
        /// The diagnostics with a fingerprint, of one app or without an app.
        case group(fingerprint: String, app: String?)
    }

    public var subject: Subject
    public var limit: Int

    /// The maximum number of merged diagnostics, the newest ones.
    public static let largestLimit = 10_000

    public init(_ subject: Subject, limit: Int = Self.largestLimit) {
        self.subject = subject
        self.limit = min(max(limit, 1), Self.largestLimit)
    }
}
