import CallStacks
import Metrics

/// What operators see of the work on diagnostics. Labels are of our own making: nothing that was
/// received ever becomes one.
struct IngestMetrics: Sendable {
    private let records = Counter(label: "symbolist_worked_records_total")
    private let statuses: [SymbolicatedDiagnostic.Status: Counter]
    private let revisions = Counter(label: "symbolist_revisions_total")
    private let held = Counter(label: "symbolist_diagnostics_held_total")
    private let unread = Counter(label: "symbolist_metrickit_unread_total")

    init() {
        var statuses: [SymbolicatedDiagnostic.Status: Counter] = [:]
        for status in [SymbolicatedDiagnostic.Status.symbolicated, .partial, .raw] {
            statuses[status] = Counter(
                label: "symbolist_diagnostics_total", dimensions: [("status", status.rawValue)])
        }
        self.statuses = statuses
    }

    func count(_ outcomes: [EntryOutcome], of entries: [JournalEntry]) {
        for outcome in outcomes {
            records.increment(by: outcome.result.batches.reduce(0) { $0 + $1.recordCount })
            revisions.increment(by: outcome.revised.count)
            unread.increment(by: outcome.unreadCount)
            for row in outcome.diagnostics { count(row) }
        }
    }

    private func count(_ row: DiagnosticRow) {
        statuses[row.status]?.increment()
        if row.state == .held { held.increment() }
    }
}
