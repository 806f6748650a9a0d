public import CallStacks

/// A list of diagnostics, newest first.
public struct DiagnosticQuery: Hashable, Sendable {
    public var app: String?
    public var version: String?
    public var build: String?
    public var kind: DiagnosticKind?
    public var status: SymbolicatedDiagnostic.Status?
    public var fingerprint: String?
    /// The address at which the list continues: it contains only diagnostics that arrived before
    /// it.
    public var before: RecordAddress?
    /// The address at which the list ends: it contains the diagnostics that arrived right after it,
    /// and ``before`` is ignored.
    public var after: RecordAddress?
    /// The maximum number of rows, from 1 to ``largestLimit``.
    public var limit: Int { didSet { limit = Self.allowed(limit) } }

    public static let largestLimit = 1_000

    public init(limit: Int = 100) { self.limit = Self.allowed(limit) }

    private static func allowed(_ limit: Int) -> Int { min(max(limit, 1), largestLimit) }
}
