public import CallStacks
import MetricKitPayloads
import OTLP
import SymbolIntake

/// Makes the stacks of a diagnostic that was received earlier again, from its entry in the journal and
/// the symbols of now.
public struct DiagnosticLookup: Sendable {
    private let journal: any Journal
    private let symbolication: DiagnosticSymbolication

    public init(journal: any Journal, symbolication: DiagnosticSymbolication) {
        self.journal = journal
        self.symbolication = symbolication
    }

    /// - Parameters:
    ///   - app: The only app whose files may be used, because the reader's token is bound to it;
    ///     `nil` for those that the diagnostic's records are made with.
    ///   - findingCallStarts: As in ``Symbolication/Symbolicator/findsCallStarts``.
    /// - Returns: None where the entry is no longer kept.
    public func diagnostics(
        of row: DiagnosticRow, boundTo app: String? = nil, findingCallStarts: Bool = false
    ) async throws(JournalError) -> [SymbolicatedDiagnostic] {
        guard let entry = try await journal.entry(row.place.entry) else { return [] }
        let access = symbolication.access(of: row.app, from: app ?? entry.draft.app)
        var answers: [SymbolicatedDiagnostic] = []
        for received in received(at: row.place.position, of: entry) {
            answers.append(
                await symbolication.symbolicate(
                    received, with: access, findingCallStarts: findingCallStarts))
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
