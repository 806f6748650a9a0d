import CallStacks
import MetricKitPayloads

extension EntryProcessor {
    /// Processes a record. If its content differs from the one that an entry sent, it is processed
    /// again without the symbols that have become known since, because a receiver is to get each
    /// revision.
    ///
    /// - Parameter sent: The content that was sent, or `nil` if none is known.
    func processed(
        _ record: inout EntryRecord, as sent: SentContent?
    ) async -> RecordProcessor.Outcome {
        guard let sent else { return await records.process(&record) }
        let received = record
        let current = await records.process(&record)
        guard case .enriched(let diagnostic) = current, diagnostic.digest != sent.digest
        else { return current }
        var earlier = received
        let images = received.diagnostics(readBy: records.symbolication.reader)
            .flatMap(\.imageIDs)
        let outcome = await records.process(&earlier, without: sent.view.hidden(among: images))
        guard case .enriched(let diagnostic) = outcome, diagnostic.digest == sent.digest
        else { return current }
        record = earlier
        return outcome
    }
}
