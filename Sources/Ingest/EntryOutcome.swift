/// What the worker made of one entry.
struct EntryOutcome: Sendable {
    var result: WorkedEntry
    /// Diagnostics that came with it.
    var diagnostics: [DiagnosticRow]
    /// Diagnostics of earlier entries that it sends again, as they are now.
    var revised: [DiagnosticRow]
    /// The revisions that those follow.
    var expected: [SentRevision] = []
    /// What is kept of a MetricKit payload.
    var payload: WorkedPayload?
    /// How much of a MetricKit payload was not understood.
    var unreadCount = 0

    /// - Parameter batches: At most one for each signal.
    init(
        _ entry: JournalEntry, _ batches: [ExportBatch], diagnostics: [DiagnosticRow] = [],
        revised: [DiagnosticRow] = []
    ) {
        var batches = batches
        for index in batches.indices { batches[index].arrival = entry.draft.arrival }
        result = WorkedEntry(number: entry.number, batches: batches)
        self.diagnostics = diagnostics
        self.revised = revised
    }

    init(
        _ entry: JournalEntry, _ batch: ExportBatch?, diagnostics: [DiagnosticRow] = [],
        revised: [DiagnosticRow] = []
    ) {
        self.init(
            entry, batch.map { [$0] } ?? [], diagnostics: diagnostics, revised: revised)
    }
}

/// Why an entry is worked on, which decides about its diagnostics.
enum WorkReason: Sendable {
    /// For the first time: diagnostics may be held, and revisions that tell more are sent.
    case arrival
    /// Once more, for an exporter that was behind: what was held stays out, and a content that was
    /// sent before keeps its number.
    case repetition
}
