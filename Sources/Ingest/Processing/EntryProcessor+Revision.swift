import SymbolIntake

/// The processing of diagnostics that were held, or whose symbols arrived late. Only their own
/// records are processed again.
extension EntryProcessor {
    /// Processes an entry of ``EntryKind/revision``.
    ///
    /// If the worker cannot read an archived entry, it skips it, and the diagnostic is sent again
    /// later. A lagging exporter waits instead, because the revision already has its number.
    func revision(
        _ entry: JournalEntry, _ pass: ProcessingPass, from sources: RevisionSources
    ) async throws(JournalError) -> ProcessedEntry {
        do throws(JournalError) {
            return try await readableRevision(entry, pass, from: sources)
        } catch {
            guard error.reason == .unavailable, pass == .first,
                case .address(let address) = RevisionReference(entry.draft.body)
            else { throw error }
            var processed = ProcessedEntry(of: entry, [])
            processed.postponed = address
            return processed
        }
    }

    private func readableRevision(
        _ entry: JournalEntry, _ pass: ProcessingPass, from sources: RevisionSources
    ) async throws(JournalError) -> ProcessedEntry {
        let reference = RevisionReference(entry.draft.body)
        var stored = sources.diagnostic(reference)
        if stored == nil { stored = try await revisions.diagnostic(reference) }
        // Before the first lookup.
        var symbolsSeen = symbolChanges.lastReflected
        while let known = stored,
            let source = try await records(ofEntry: known.address.entry, from: sources),
            let revised = await revised(known, in: source, by: entry.number, pass)
        {
            if pass == .first { return first(entry, revised, after: known) }
            let next = NextRevision(
                to: revised.diagnostic, after: known.revisionState, sentBy: entry.number)
            if let next, try await !revisions.advance([next], symbolsSeen: symbolsSeen) {
                symbolsSeen = symbolChanges.lastReflected
                stored = try await revisions.diagnostic(reference)
                continue
            }
            return ProcessedEntry(of: entry, [revised.batch])
        }
        return ProcessedEntry(of: entry, [])
    }

    private func records(
        ofEntry number: Int64, from sources: RevisionSources
    ) async throws(JournalError) -> EntryRecords? {
        if let records = sources.records(ofEntry: number) { return records }
        return try await journal.entry(number).flatMap(records.records)
    }

    private struct Revised {
        var diagnostic: DiagnosticRecord
        var batch: ExportBatch
    }

    /// Processes the record of one diagnostic, or returns `nil` if its entry does not contain it.
    ///
    /// - Parameter entry: The number of the entry that sends it again.
    private func revised(
        _ known: DiagnosticRecord, in source: EntryRecords, by entry: Int64,
        _ pass: ProcessingPass
    ) async -> Revised? {
        let state = known.revisionState
        let sent = pass == .replay ? state.history.content(sentBy: entry) : nil
        guard var record = source.record(at: known.address.position),
            case .enriched(var diagnostic) = await processed(&record, as: sent)
        else { return nil }
        // A held record was never sent, so its number was not used for other content.
        let isFirst = pass == .first && known.state != .sent
        diagnostic.revision =
            isFirst ? known.revision : state.number(for: diagnostic.digest, sentBy: entry)
        diagnostic.heldUntil = known.heldUntil
        diagnostic.history = state.history
        diagnostic.addToHistory(sentBy: entry)
        record.setRevision(diagnostic.revision)
        let batch = ExportBatch(
            signal: .logs, body: exportRedaction.redacted(source.request(with: record)),
            recordCount: 1)
        return Revised(diagnostic: diagnostic, batch: batch)
    }

    /// Returns the worker's result, which all exporters get: without a batch if the record has no
    /// more information than before.
    private func first(
        _ entry: JournalEntry, _ revised: Revised, after known: DiagnosticRecord
    ) -> ProcessedEntry {
        let isSent = known.state != .sent || revised.diagnostic.isBetter(than: known)
        var diagnostic = isSent ? revised.diagnostic : known
        diagnostic.wanted = revised.diagnostic.wanted
        diagnostic.sampledStacks = revised.diagnostic.sampledStacks
        var processed = ProcessedEntry(of: entry, isSent ? [revised.batch] : [])
        processed.revised = [diagnostic]
        processed.expected = [known.sentRevision]
        return processed
    }
}

extension DiagnosticRecord {
    /// Whether sending the record again gives a receiver more information.
    fileprivate func isBetter(than other: Self) -> Bool {
        symbolicatedFrameCount > other.symbolicatedFrameCount
            || symbolicatedFrameCount == other.symbolicatedFrameCount && status != other.status
    }
}
