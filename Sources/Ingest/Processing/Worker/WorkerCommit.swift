public import MetricKitSignals

/// The results of processing a run of entries, which the worker stores together.
public struct WorkerCommit: Sendable {
    /// The number of the last entry of the run.
    public var lastNumber: Int64
    /// The diagnostics of new entries.
    public var diagnostics: [DiagnosticRecord]
    /// Diagnostics that are sent again, in their current state.
    public var revised: [DiagnosticRecord]
    /// The revisions that were current when the results were computed. If a replay for an exporter
    /// has stored a later revision since, the commit fails, because its contents would get numbers
    /// that are already in use.
    public var expected: [SentRevision]
    /// Diagnostics to be sent again later, because their archived entries could not be read.
    public var postponed: [RecordAddress]
    /// The MetricKit payloads among the entries. A payload that was already processed is not
    /// counted again.
    public var payloads: [ProcessedPayload]
    /// The number of the last change of symbols that all lookups of the run reflected. Later changes
    /// apply to the diagnostics that wait for their images as if they were stored after this commit,
    /// because a change may have been stored after the lookup and before the diagnostic waited.
    public var symbolsSeen: Int64

    /// - Parameter symbolsSeen: With 0, no change counts as reflected by the lookups.
    public init(
        lastNumber: Int64, diagnostics: [DiagnosticRecord] = [], revised: [DiagnosticRecord] = [],
        expected: [SentRevision] = [], postponed: [RecordAddress] = [],
        payloads: [ProcessedPayload] = [], symbolsSeen: Int64 = 0
    ) {
        self.lastNumber = lastNumber
        self.diagnostics = diagnostics
        self.revised = revised
        self.expected = expected
        self.postponed = postponed
        self.payloads = payloads
        self.symbolsSeen = symbolsSeen
    }
}

/// The stored data of a processed MetricKit payload.
public struct ProcessedPayload: Hashable, Sendable {
    /// The key that identifies the payload if it is posted again.
    public var key: EntryKey
    /// The figures of app versions; empty unless it is a metric payload.
    public var figures: [PayloadFigures]

    public init(key: EntryKey, figures: [PayloadFigures] = []) {
        self.key = key
        self.figures = figures
    }
}
