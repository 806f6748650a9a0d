/// What the worker made of one entry.
struct EntryOutcome: Sendable {
    var result: WorkedEntry
    /// Diagnostics that came with it.
    var diagnostics: [DiagnosticRow]
    /// Diagnostics of earlier entries that it sends again, as they are now.
    var revised: [DiagnosticRow]

    init(
        _ entry: JournalEntry, _ batch: ExportBatch?, diagnostics: [DiagnosticRow] = [],
        revised: [DiagnosticRow] = []
    ) {
        var batch = batch
        batch?.arrival = entry.draft.arrival
        result = WorkedEntry(number: entry.number, batches: batch.map { [$0] } ?? [])
        self.diagnostics = diagnostics
        self.revised = revised
    }
}

/// Why an entry is worked on, which decides about its diagnostics.
enum WorkReason: Sendable {
    /// For the first time: diagnostics may be held, and revisions are counted up.
    case arrival
    /// Once more, for an exporter that was behind: what was held stays out, revisions keep their
    /// number.
    case repetition
}
