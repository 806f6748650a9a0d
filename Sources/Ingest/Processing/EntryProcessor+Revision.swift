/// Diagnostics that were held, or whose symbols arrived late. Only their own record is processed again.
extension EntryProcessor {
    /// Processes an entry of ``Signal/revision``.
    func revision(
        _ entry: JournalEntry, _ pass: ProcessingPass
    ) async throws(JournalError) -> ProcessedEntry {
        let reference = RevisionReference(entry.draft.body)
        while let known = try await archive.diagnostic(reference),
            let source = try await journal.entry(known.address.entry),
            let revised = await revised(known, in: source, pass)
        {
            if pass == .first { return first(entry, revised, after: known) }
            let next = NextRevision(to: revised.diagnostic, after: known.revisionState)
            if let next, try await !archive.advance([next]) { continue }
            return ProcessedEntry(of: entry, [revised.batch].compactMap(\.self))
        }
        return ProcessedEntry(of: entry, [])
    }

    private struct Revised {
        var diagnostic: DiagnosticRecord
        var batch: ExportBatch?
    }

    /// Processes the record of one diagnostic, or returns `nil` if its entry does not contain it.
    private func revised(
        _ known: DiagnosticRecord, in source: JournalEntry, _ pass: ProcessingPass
    ) async -> Revised? {
        guard let all = records.records(of: source),
            var record = all.record(at: known.address.position),
            case .enriched(var diagnostic) = await records.process(&record)
        else { return nil }
        // A held record was never sent, so its number has had no other content.
        let isFirst = pass == .first && known.state != .sent
        diagnostic.revision =
            isFirst ? known.revision : known.sentRevision.number(for: diagnostic.digest)
        diagnostic.heldUntil = known.heldUntil
        record.setRevision(diagnostic.revision)
        let batch = all.request(with: &record).flatMap { ExportBatch(logs: $0, recordCount: 1) }
        return Revised(diagnostic: diagnostic, batch: batch)
    }

    /// Returns the worker's result, which all exporters get, unless the record has no more information than
    /// before.
    private func first(
        _ entry: JournalEntry, _ revised: Revised, after known: DiagnosticRecord
    ) -> ProcessedEntry {
        let isSent = known.state != .sent || revised.diagnostic.isBetter(than: known)
        var diagnostic = isSent ? revised.diagnostic : known
        diagnostic.wanted = revised.diagnostic.wanted
        diagnostic.sampledStacks = revised.diagnostic.sampledStacks
        var processed = ProcessedEntry(
            of: entry, isSent ? [revised.batch].compactMap(\.self) : [])
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
