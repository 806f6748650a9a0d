import CallStacks
import MetricKitPayloads
import MetricKitSignals
import OTLP
import StackRendering

/// Works on one MetricKit payload: its spans, a log record for each of its diagnostics, symbolicated,
/// and its figures.
struct PayloadWork: Sendable {
    let symbolication: DiagnosticSymbolication
    let enrichment: Enrichment
    /// Whether records tell more than the instrumentation does.
    let hasAdditions: Bool

    /// What becomes of a payload.
    struct Result {
        /// In the order in which the instrumentation sends them.
        var records: [(resource: Resource, record: OTLP.LogRecord)] = []
        /// One for each record.
        var rows: [DiagnosticRow] = []
        var traces: ExportTraceServiceRequest?
        var spanCount = 0
        var figures: [PayloadFigures] = []
        /// How much of it was not understood.
        var unreadCount = 0
    }

    func work(on entry: JournalEntry) async -> Result {
        let signals = signals(of: entry)
        var result = Result()
        result.traces = signals.traces
        result.spanCount = signals.spanCount
        result.figures = signals.figures.map { $0.sent(by: entry.draft.app) }
        result.unreadCount = signals.problems.count
        for (position, received) in signals.records.enumerated() {
            var record = received.record
            let uid = RecordUID(entry.draft.key, position: position).text
            let access = symbolication.access(
                of: received.diagnostic.details.bundleIdentifier, from: entry.draft.app)
            let symbolicated = await symbolication.symbolicate(received.diagnostic, with: access)
            let row = DiagnosticRow(
                [symbolicated], uid: uid, at: position, of: entry, with: access, record: nil)
            guard var row else { continue }
            enrichment.apply(
                [symbolicated], from: AttributeKeys.stackTrace, uid: uid, revision: row.revision,
                to: &record)
            if !hasAdditions, received.record.attributes[AttributeKeys.stackTrace] == nil {
                record.attributes[AttributeKeys.stackTrace] = nil
            }
            // The frames may know more than what a Mach exception means in general.
            if received.diagnostic.kind == .crash, let message = symbolicated.exceptionMessage {
                record.attributes.set(AttributeKeys.exceptionMessage, message)
            }
            row.digest = ContentDigest(of: record, received.resource)
            result.records.append((received.resource, record))
            result.rows.append(row)
        }
        return result
    }

    private func signals(of entry: JournalEntry) -> PayloadSignals {
        // Keys have the length of a digest's head, so this one is always taken.
        let identity =
            SignalIdentity(digest: entry.draft.key.bytes) ?? SignalIdentity(of: entry.draft.body)
        return PayloadSignals(
            of: entry.draft.body, reader: symbolication.reader,
            context: ConversionContext(
                arrival: entry.draft.arrival, identity: identity, hasAdditions: hasAdditions))
    }

    /// The diagnostics of a payload in the order of their records.
    static func diagnostics(of bytes: [UInt8], _ reader: PayloadReader) -> [ReceivedDiagnostic] {
        PayloadSignals.inOrder(reader.read(bytes).diagnostics) { $0 }
    }
}
