import CallStacks
import MetricKitPayloads
import SymbolIntake
import Symbolication

extension EntryProcessor {
    /// The maximum time for which a lagging exporter waits for an index that was used when the
    /// record was sent.
    private static let indexWait = Duration.seconds(30)

    /// Processes a record. If the result differs from the content that the entry sent, the record
    /// is processed again with the symbols known at that time, because every backend must receive
    /// each revision.
    ///
    /// - Parameter sent: The content that was sent, or `nil` if none is known.
    func processed(
        _ record: inout EntryRecord, as sent: SentContent?
    ) async -> RecordProcessor.Outcome {
        guard let sent else { return await records.process(&record) }
        var earlier = record
        let outcome = await records.process(&record)
        guard case .enriched(let diagnostic) = outcome, diagnostic.digest != sent.digest
        else { return outcome }
        let hidden = await hiddenSymbols(for: earlier, as: sent, insteadOf: diagnostic.view)
        let earlierOutcome = await records.process(&earlier, without: hidden)
        guard case .enriched(let diagnostic) = earlierOutcome, diagnostic.digest == sent.digest
        else { return outcome }
        record = earlier
        return earlierOutcome
    }

    /// Returns the symbols that became known after a record was sent, once the indexes that were
    /// used then are available again.
    private func hiddenSymbols(
        for record: EntryRecord, as sent: SentContent, insteadOf view: SymbolView
    ) async -> HiddenSymbols {
        let images = record.diagnostics(readBy: records.symbolication.reader)
            .flatMap(\.imageIDs)
        let lacking = sent.view.images(lackingIn: view, among: images)
        if !lacking.isEmpty {
            await symbolChanges.waitForDelayedIndexes(of: lacking, atMost: Self.indexWait)
        }
        return sent.view.hidden(among: images)
    }
}
