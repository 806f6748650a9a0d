import MetricKitSignals

/// A run of entries whose results are not stored yet.
struct WorkerRun: Sendable {
    let entries: [JournalEntry]
    /// The number of entries that waited, up to the limit of a run.
    let waitingCount: Int
    /// The results of the entries, in their order.
    let processed: [ProcessedEntry]
    /// See ``WorkerCommit/symbolsSeen``.
    let symbolsSeen: Int64
    let start: ContinuousClock.Instant

    /// The number of its last entry.
    var lastNumber: Int64 { entries.last?.number ?? 0 }

    var diagnosticCount: Int { processed.reduce(0) { $0 + $1.diagnosticCount } }

    /// Returns the results in parts: each ends with the entry that brings it to `count` diagnostics.
    func parts(ofDiagnostics count: Int) -> [ArraySlice<ProcessedEntry>] {
        var parts: [ArraySlice<ProcessedEntry>] = []
        var start = 0
        var sum = 0
        for (index, entry) in processed.enumerated() {
            sum += entry.diagnosticCount
            guard sum >= count || index == processed.count - 1 else { continue }
            parts.append(processed[start...index])
            (start, sum) = (index + 1, 0)
        }
        return parts
    }
}

extension ProcessedEntry {
    fileprivate var diagnosticCount: Int { diagnostics.count + revised.count }
}

extension WorkerCommit {
    /// - Parameter processed: The results of at least one entry.
    init(of processed: ArraySlice<ProcessedEntry>, symbolsSeen: Int64) {
        self.init(
            lastNumber: processed.last?.exportable.number ?? 0,
            diagnostics: processed.flatMap(\.diagnostics), revised: processed.flatMap(\.revised),
            expected: processed.flatMap(\.expected), postponed: processed.compactMap(\.postponed),
            payloads: processed.compactMap(\.payload), symbolsSeen: symbolsSeen)
    }
}
