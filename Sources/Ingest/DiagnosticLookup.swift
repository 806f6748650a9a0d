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

    /// - Returns: None where the entry is no longer kept.
    public func diagnostics(
        of row: DiagnosticRow
    ) async throws(JournalError) -> [SymbolicatedDiagnostic] {
        guard let entry = try await journal.entry(row.place.entry) else { return [] }
        switch entry.draft.signal {
        case .logs: return await record(at: row.place.position, of: entry)
        case .metricKit: return await payload(at: row.place.position, of: entry)
        case .traces, .metrics, .revision: return []
        }
    }

    private func record(
        at position: Int, of entry: JournalEntry
    ) async -> [SymbolicatedDiagnostic] {
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
        return await symbolication.symbolicate(symbolication.reader.read(received).diagnostics)
    }

    private func payload(
        at position: Int, of entry: JournalEntry
    ) async -> [SymbolicatedDiagnostic] {
        let received = PayloadWork.diagnostics(of: entry.draft.body, symbolication.reader)
        guard received.indices.contains(position) else { return [] }
        return [await symbolication.symbolicate(received[position])]
    }
}
