import CallStacks
import MetricKitPayloads
import MetricKitSignals
import OTLP
import StackRendering

/// Works on entries of the journal, of whatever signal.
struct EntryWork: Sendable {
    let records: RecordWork
    let payloads: PayloadWork
    /// How long records wait for symbols of the app, in seconds.
    let holdSeconds: Int64
    let journal: any Journal
    let archive: any DiagnosticArchive

    func outcome(
        of entry: JournalEntry, because reason: WorkReason
    ) async throws(JournalError) -> EntryOutcome {
        switch entry.draft.signal {
        case .logs: try await logs(entry, reason)
        case .metricKit: try await payload(entry, reason)
        case .revision: try await revision(entry, reason)
        case .traces, .metrics: passedOn(entry)
        }
    }

    /// What nobody reads goes out byte by byte.
    private func passedOn(_ entry: JournalEntry, recordCount: Int = 1) -> EntryOutcome {
        EntryOutcome(
            entry,
            ExportBatch(
                signal: entry.draft.signal, body: entry.draft.body, recordCount: recordCount))
    }

    private func logs(
        _ entry: JournalEntry, _ reason: WorkReason
    ) async throws(JournalError) -> EntryOutcome {
        // It was read before it was kept; should this version not read it, it goes out as it is.
        guard
            let received = try? ExportLogsServiceRequest(
                decoding: entry.draft.body, as: .protobuf)
        else { return passedOn(entry) }
        var numbering = RevisionNumbering(of: entry.number, in: archive)
        var request: ExportLogsServiceRequest
        var work: RequestWork
        repeat {
            if reason == .repetition { try await numbering.begin() }
            request = received
            work = RequestWork(entry: entry, records: records)
            await work.run(on: &request)
        } while try await !numbering.settle(work.rows)
        guard work.isChanged else { return passedOn(entry, recordCount: work.recordCount) }
        var rows = work.rows
        let held = reason == .arrival ? hold(&rows, of: entry) : numbering.held
        request.setRevisions(numbering.numbers(of: rows))
        if !held.isEmpty { request.removeRecords(at: held) }
        let batch = Self.batch(request, recordCount: work.recordCount - held.count)
        return EntryOutcome(entry, batch, diagnostics: rows)
    }

    /// What cannot be written, being beyond what protobuf allows, is left out; limits on bodies and
    /// frames keep every request far below that.
    private static func batch(
        _ request: ExportLogsServiceRequest, recordCount: Int
    ) -> ExportBatch? {
        try? ExportBatch(request, recordCount: recordCount)
    }

    /// Decides which new diagnostics wait for symbols, and marks them.
    ///
    /// - Returns: The positions of their records.
    private func hold(_ rows: inout [DiagnosticRow], of entry: JournalEntry) -> Set<Int> {
        guard holdSeconds > 0 else { return [] }
        var held: Set<Int> = []
        for index in rows.indices where rows[index].wantsAppImages {
            rows[index].state = .held
            rows[index].heldUntil = entry.draft.arrival.advanced(seconds: holdSeconds)
            held.insert(rows[index].place.position)
        }
        return held
    }

    private func payload(
        _ entry: JournalEntry, _ reason: WorkReason
    ) async throws(JournalError) -> EntryOutcome {
        var numbering = RevisionNumbering(of: entry.number, in: archive)
        var work: PayloadWork.Result
        repeat {
            if reason == .repetition { try await numbering.begin() }
            work = await payloads.work(on: entry)
        } while try await !numbering.settle(work.rows)
        let held = reason == .arrival ? hold(&work.rows, of: entry) : numbering.held
        var request = PayloadSignals.logs(of: work.records)
        request.setRevisions(numbering.numbers(of: work.rows))
        if !held.isEmpty { request.removeRecords(at: held) }
        let logs = Self.batch(request, recordCount: work.records.count - held.count)
        var outcome = EntryOutcome(
            entry, [Self.spans(of: work), logs].compactMap { $0 }, diagnostics: work.rows)
        outcome.payload = WorkedPayload(key: entry.draft.key, figures: work.figures)
        outcome.unreadCount = work.unreadCount
        return outcome
    }

    /// Spans do not wait for symbols, and are sent once.
    private static func spans(of work: PayloadWork.Result) -> ExportBatch? {
        guard let body = try? work.traces?.encoded(as: .protobuf) else { return nil }
        return ExportBatch(signal: .traces, body: body, recordCount: work.spanCount)
    }

    /// A diagnostic that was held, or whose symbols have arrived: its record alone, from its entry.
    private func revision(
        _ entry: JournalEntry, _ reason: WorkReason
    ) async throws(JournalError) -> EntryOutcome {
        let reference = RevisionReference(entry.draft.body)
        while let known = try await archive.diagnostic(reference),
            let source = try await journal.entry(known.place.entry),
            var revised = await RevisionWork(records: records, payloads: payloads)
                .work(on: known, from: source)
        {
            revised.row.heldUntil = known.heldUntil
            if reason == .arrival { return first(entry, revised, after: known) }
            let step = RevisionStep(to: revised.row, after: known.known)
            if let step, try await !archive.advance([step]) { continue }
            revised.row.revision = known.sentRevision.number(for: revised.row.digest)
            return EntryOutcome(entry, Self.batch(revised))
        }
        return EntryOutcome(entry, nil)
    }

    /// A record that goes out for all exporters, unless it tells no more than before.
    private func first(
        _ entry: JournalEntry, _ revised: RevisionWork.Revised, after known: DiagnosticRow
    ) -> EntryOutcome {
        var revised = revised
        var batch: ExportBatch?
        if known.state == .sent, !revised.row.isBetter(than: known) {
            let wanted = revised.row.wanted
            revised.row = known
            revised.row.wanted = wanted
        } else {
            // What was held was never sent, so it has its number still to itself.
            revised.row.revision =
                known.state == .sent
                ? known.sentRevision.number(for: revised.row.digest) : known.revision
            batch = Self.batch(revised)
        }
        var outcome = EntryOutcome(entry, batch, revised: [revised.row])
        outcome.expected = [known.sentRevision]
        return outcome
    }

    private static func batch(_ revised: RevisionWork.Revised) -> ExportBatch? {
        var request = revised.request
        request.setRevisions([0: revised.row.revision])
        return batch(request, recordCount: 1)
    }
}

extension DiagnosticRow {
    /// Whether sending it again tells anybody more.
    fileprivate func isBetter(than other: Self) -> Bool {
        symbolicatedFrameCount > other.symbolicatedFrameCount
            || symbolicatedFrameCount == other.symbolicatedFrameCount && status != other.status
    }
}
