import CallStacks
import MetricKitSignals
import OTLP
import StackRendering
import SymbolIntake

/// Processes entries of the journal into records to export and diagnostics to store.
struct EntryProcessor: Sendable {
    let records: RecordProcessor
    /// The maximum time for which records wait for symbols of the app, in seconds.
    let holdSeconds: Int64
    let journal: any Journal
    let revisions: any RevisionArchive
    let symbolChanges: any SymbolChanges

    /// - Parameter sources: The sources of the revisions in the entry's run.
    func process(
        _ entry: JournalEntry, _ pass: ProcessingPass, from sources: RevisionSources
    ) async throws(JournalError) -> ProcessedEntry {
        switch entry.draft.kind {
        case .logs, .metricKit: try await allRecords(of: entry, pass)
        case .revision: try await revision(entry, pass, from: sources)
        case .traces, .metrics: asReceived(entry)
        }
    }

    var exportRedaction: ExportRedaction {
        let enricher = records.enricher
        return ExportRedaction(level: enricher.settings.redaction, mark: enricher.names.failed)
    }

    /// Exports the body of a request unchanged. An unreadable payload exports nothing.
    ///
    /// - Parameter recordCount: The number of its records, or `nil` if they are not counted yet.
    private func asReceived(_ entry: JournalEntry, recordCount: Int? = nil) -> ProcessedEntry {
        guard let signal = entry.draft.kind.signal else { return ProcessedEntry(of: entry, []) }
        let batch = ExportBatch(
            signal: signal, body: entry.draft.body,
            recordCount: recordCount ?? RequestRecords(of: entry.draft.body).count)
        return ProcessedEntry(of: entry, [batch])
    }

    private func allRecords(
        of entry: JournalEntry, _ pass: ProcessingPass
    ) async throws(JournalError) -> ProcessedEntry {
        // The gateway validated the body before storing it, but it may have been another version of
        // the program.
        guard let received = records.records(of: entry) else { return asReceived(entry) }
        var numbering = RevisionNumbering(
            of: entry.number, in: revisions, symbolChanges: symbolChanges)
        var result: Records
        repeat {
            if pass == .replay { try await numbering.load() }
            result = await process(received, pass, &numbering)
        } while try await !numbering.store()
        let recordCount = received.count
        guard result.isChanged || received.payload != nil else {
            return asReceived(entry, recordCount: recordCount)
        }
        let logs = ExportBatch(
            logs: exportRedaction.redacted(result.all.request),
            recordCount: recordCount - result.heldCount)
        let spans = received.payload.flatMap(Self.spans)
        var processed = ProcessedEntry(of: entry, [spans, logs].compactMap(\.self))
        processed.diagnostics = result.diagnostics
        if let payload = received.payload {
            processed.payload = ProcessedPayload(
                key: entry.draft.key, figures: payload.figures.map { $0.sent(by: entry.draft.app) })
            processed.unreadCount = payload.problems.count
        }
        return processed
    }

    /// The records of one entry after a pass.
    private struct Records {
        var all: EntryRecords
        var diagnostics: [DiagnosticRecord] = []
        var heldCount = 0
        var isChanged = false

        /// Omits a record, because it is exported with a later entry.
        mutating func hold() -> EntryRecords.Fate {
            heldCount += 1
            isChanged = true
            return .removed
        }
    }

    private func process(
        _ received: EntryRecords, _ pass: ProcessingPass, _ numbering: inout RevisionNumbering
    ) async -> Records {
        var result = Records(all: received)
        var all = received
        await all.update { record in
            if numbering.isHeld(at: record.position) { return result.hold() }
            switch await processed(&record, as: numbering.sentContent(at: record.position)) {
            case .unchanged: return .unchanged
            case .marked:
                result.isChanged = true
                return .changed
            case .enriched(var diagnostic):
                record.setRevision(numbering.number(for: diagnostic))
                let isHeld = pass == .first && hold(&diagnostic)
                if !isHeld { diagnostic.addToHistory(sentBy: record.entry.number) }
                result.isChanged = true
                result.diagnostics.append(diagnostic)
                return isHeld ? result.hold() : .changed
            }
        }
        result.all = all
        return result
    }

    /// Marks a new diagnostic as held if it waits for symbols of the app.
    private func hold(_ diagnostic: inout DiagnosticRecord) -> Bool {
        guard holdSeconds > 0, diagnostic.wantsAppImages else { return false }
        diagnostic.state = .held
        diagnostic.heldUntil = diagnostic.arrival.advanced(seconds: holdSeconds)
        return true
    }

    /// Spans do not wait for symbols, and are sent once.
    private static func spans(of payload: PayloadSignals) -> ExportBatch? {
        guard let body = try? payload.traces?.encoded(as: .protobuf) else { return nil }
        return ExportBatch(signal: .traces, body: body, recordCount: payload.spanCount)
    }
}

extension EntryRecord {
    mutating func setRevision(_ number: Int) {
        // Most records have this number already.
        guard content.attributes.value(of: AttributeKeys.revision) != .integer(Int64(number))
        else { return }
        content.attributes.set(AttributeKeys.revision, Int64(number))
    }
}
