/// The result of processing one entry.
struct ProcessedEntry: Sendable {
    var exportable: ExportableEntry
    /// New diagnostics of this entry.
    var diagnostics: [DiagnosticRecord] = []
    /// Diagnostics of earlier entries that this entry sends again, in their current state.
    var revised: [DiagnosticRecord] = []
    /// The sent revisions that they follow.
    var expected: [SentRevision] = []
    /// The diagnostic that is to be sent again later, because its archived entry cannot be read now.
    var postponed: RecordAddress?
    /// The data of a MetricKit payload, or `nil` for other entries.
    var payload: ProcessedPayload?
    /// The number of parts of a MetricKit payload that were not understood.
    var unreadCount = 0

    /// - Parameter batches: At most one for each signal.
    init(of entry: JournalEntry, _ batches: [ExportBatch]) {
        var batches = batches
        for index in batches.indices { batches[index].arrival = entry.draft.arrival }
        exportable = ExportableEntry(number: entry.number, batches: batches)
    }
}

/// The reason for processing an entry, which determines what happens to its diagnostics.
enum ProcessingPass: Sendable {
    /// The worker's pass: diagnostics may be held, and better revisions are sent.
    case first
    /// Another pass for a lagging exporter: held records are skipped, and content that was already
    /// sent keeps its number.
    case replay
}
