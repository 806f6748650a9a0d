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
        guard var request = try? ExportLogsServiceRequest(decoding: entry.draft.body, as: .protobuf)
        else { return passedOn(entry) }
        var work = RequestWork(entry: entry, records: records)
        await work.run(on: &request)
        var rows = work.rows
        let held = try await hold(&rows, of: entry, reason)
        guard work.isChanged else { return passedOn(entry, recordCount: work.recordCount) }
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

    /// Decides which diagnostics wait for symbols, and marks them.
    ///
    /// - Returns: The positions of their records.
    private func hold(
        _ rows: inout [DiagnosticRow], of entry: JournalEntry, _ reason: WorkReason
    ) async throws(JournalError) -> Set<Int> {
        guard holdSeconds > 0 else { return [] }
        var held: Set<Int> = []
        for index in rows.indices {
            switch reason {
            case .arrival:
                guard rows[index].wantsAppImages else { continue }
                rows[index].state = .held
                rows[index].heldUntil = entry.draft.arrival.advanced(seconds: holdSeconds)
            case .repetition:
                let kept = try await archive.diagnostic(uid: rows[index].uid)
                guard kept?.heldUntil != nil else { continue }
            }
            held.insert(rows[index].place.position)
        }
        return held
    }

    private func payload(
        _ entry: JournalEntry, _ reason: WorkReason
    ) async throws(JournalError) -> EntryOutcome {
        var work = await payloads.work(on: entry)
        let held = try await hold(&work.rows, of: entry, reason)
        let records = work.records.enumerated().filter { !held.contains($0.offset) }
            .map(\.element)
        let logs = Self.batch(PayloadSignals.logs(of: records), recordCount: records.count)
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
        let uid = String(decoding: entry.draft.body, as: UTF8.self)
        guard let known = try await archive.diagnostic(uid: uid),
            let source = try await journal.entry(known.place.entry),
            var revised = await RevisionWork(records: records, payloads: payloads)
                .work(on: known, from: source)
        else { return EntryOutcome(entry, nil) }
        revised.row.revision = known.revision
        revised.row.heldUntil = known.heldUntil
        let isRevision = reason == .arrival && known.state == .sent
        if isRevision, !revised.row.isBetter(than: known) {
            var row = known
            row.wanted = revised.row.wanted
            return EntryOutcome(entry, nil, revised: [row])
        }
        if isRevision { revised.row.revision += 1 }
        revised.request.changeRecords {
            $0.attributes.set(AttributeKeys.revision, Int64(revised.row.revision))
        }
        return EntryOutcome(
            entry, Self.batch(revised.request, recordCount: 1),
            revised: reason == .arrival ? [revised.row] : [])
    }
}

extension DiagnosticRow {
    /// Whether sending it again tells anybody more.
    fileprivate func isBetter(than other: Self) -> Bool {
        symbolicatedFrameCount > other.symbolicatedFrameCount || status != other.status
    }
}
