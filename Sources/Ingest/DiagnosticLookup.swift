public import CallStacks
import MetricKitPayloads
import OTLP

/// Makes the stacks of a diagnostic that was received earlier again, from its entry in the journal and
/// the symbols of now.
public struct DiagnosticLookup: Sendable {
    private let journal: any Journal
    private let symbolication: DiagnosticSymbolication

    public init(journal: any Journal, symbolication: DiagnosticSymbolication) {
        self.journal = journal
        self.symbolication = symbolication
    }

    /// - Parameter findingCallStarts: As in ``Symbolication/Symbolicator/findsCallStarts``.
    /// - Returns: None where the entry is no longer kept.
    public func diagnostics(
        of row: DiagnosticRow, findingCallStarts: Bool = false
    ) async throws(JournalError) -> [SymbolicatedDiagnostic] {
        guard let entry = try await journal.entry(row.place.entry) else { return [] }
        var answers: [SymbolicatedDiagnostic] = []
        for received in received(at: row.place.position, of: entry) {
            answers.append(
                await symbolication.symbolicate(received, findingCallStarts: findingCallStarts))
        }
        return answers
    }

    private func received(at position: Int, of entry: JournalEntry) -> [ReceivedDiagnostic] {
        switch entry.draft.signal {
        case .logs: return record(at: position, of: entry)
        case .metricKit:
            let received = PayloadWork.diagnostics(of: entry.draft.body, symbolication.reader)
            return received.indices.contains(position) ? [received[position]] : []
        case .traces, .metrics, .revision: return []
        }
    }

    private func record(at position: Int, of entry: JournalEntry) -> [ReceivedDiagnostic] {
        guard
            var request = try? ExportLogsServiceRequest(decoding: entry.draft.body, as: .protobuf)
        else { return [] }
        request.keepRecords { $0 == position }
        guard let resourceLogs = request.resourceLogs.first,
            let scopeLogs = resourceLogs.scopeLogs.first, let record = scopeLogs.logRecords.first
        else { return [] }
        let received = ReceivedRecord(
            record, scopeName: scopeLogs.scope.name,
            resource: ReceivedRecord.values(resourceLogs.resource.attributes))
        return symbolication.reader.read(received).diagnostics
    }
}
