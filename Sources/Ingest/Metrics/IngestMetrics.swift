import CallStacks
import Metrics

/// The counters of processed records and diagnostics. No received text becomes a label.
struct IngestMetrics: Sendable {
    private let records = Counter(label: "symbolist_worked_records_total")
    private let statuses: [SymbolicatedDiagnostic.Status: Counter]
    private let revisions = Counter(label: "symbolist_revisions_total")
    private let held = Counter(label: "symbolist_diagnostics_held_total")
    private let unread = Counter(label: "symbolist_metrickit_unread_total")
    private let commitTime = Metrics.Timer(label: "symbolist_commit_seconds")

    init() {
        var statuses: [SymbolicatedDiagnostic.Status: Counter] = [:]
        for status in [SymbolicatedDiagnostic.Status.symbolicated, .partial, .raw] {
            statuses[status] = Counter(
                label: "symbolist_diagnostics_total", dimensions: [("status", status.rawValue)])
        }
        self.statuses = statuses
    }

    func recordCommit(taking time: Duration) { commitTime.recordSeconds(time / .seconds(1)) }

    func count(_ entries: ArraySlice<ProcessedEntry>) {
        for entry in entries {
            records.increment(by: entry.exportable.batches.reduce(0) { $0 + $1.recordCount })
            revisions.increment(by: entry.revised.count)
            unread.increment(by: entry.unreadCount)
            for diagnostic in entry.diagnostics { count(diagnostic) }
        }
    }

    private func count(_ diagnostic: DiagnosticRecord) {
        statuses[diagnostic.status]?.increment()
        if diagnostic.state == .held { held.increment() }
    }
}
