public import CallStacks
package import OTLP
import SymbolIntake

/// Symbolicates stored diagnostics again, from their entries in the journal and with the current
/// symbols.
public struct DiagnosticLookup: Sendable {
    private let journal: any Journal
    private let symbolication: DiagnosticSymbolication

    public init(journal: any Journal, symbolication: DiagnosticSymbolication) {
        self.journal = journal
        self.symbolication = symbolication
    }

    /// The log record with a diagnostic as received, or the one that was made from a payload.
    public struct Received: Sendable {
        package let record: OTLP.LogRecord
        package let scope: InstrumentationScope
        package let resource: Resource

        /// The identifiers of the trace and the span in which it happened; empty without a trace.
        public var trace: [UInt8] { Array(record.traceID) }
        public var span: [UInt8] { Array(record.spanID) }
    }

    /// Returns the log record with a diagnostic, or `nil` if its entry is no longer stored.
    public func received(
        _ diagnostic: DiagnosticRecord
    ) async throws(JournalError) -> Received? {
        let position = diagnostic.address.position
        guard let records = try await records(with: diagnostic),
            let record = records.record(at: position)
        else { return nil }
        let sender = records.sender(of: position)
        return Received(record: record.content, scope: sender.scope, resource: sender.resource)
    }

    /// Returns the MetricKit payload that contains a diagnostic, or its log record alone as OTLP
    /// JSON.
    ///
    /// - Returns: `nil` if its entry is no longer stored.
    public func original(
        of diagnostic: DiagnosticRecord
    ) async throws(JournalError) -> [UInt8]? {
        guard let records = try await records(with: diagnostic) else { return nil }
        guard records.payload == nil else { return records.entry.draft.body }
        guard var record = records.record(at: diagnostic.address.position),
            let request = records.request(with: &record)
        else { return nil }
        return Self.json(of: request)
    }

    /// Returns the records of a diagnostic's entry, or `nil` if it is no longer stored.
    private func records(
        with diagnostic: DiagnosticRecord
    ) async throws(JournalError) -> EntryRecords? {
        guard let entry = try await journal.entry(diagnostic.address.entry) else { return nil }
        return EntryRecords(of: entry, reader: symbolication.reader, hasAdditions: false)
    }

    /// Returns an encoded request as JSON, or `nil` if it cannot be read.
    private static func json(of request: [UInt8]) -> [UInt8]? {
        do throws(OTLPError) {
            return try ExportLogsServiceRequest(decoding: request, as: .protobuf).encoded(as: .json)
        } catch { return nil }
    }

    /// - Parameters:
    ///   - app: The app that the caller's token is bound to, which limits the files to that app's,
    ///     or `nil` for the files that the worker used.
    ///   - findingCallStarts: See ``Symbolication/Symbolicator/findsCallStarts``.
    /// - Returns: An empty array if the entry is no longer stored.
    public func diagnostics(
        of diagnostic: DiagnosticRecord, boundTo app: String? = nil, findingCallStarts: Bool = false
    ) async throws(JournalError) -> [SymbolicatedDiagnostic] {
        guard let records = try await records(with: diagnostic),
            let record = records.record(at: diagnostic.address.position)
        else { return [] }
        let access = symbolication.access(
            of: diagnostic.app, from: app ?? records.entry.draft.app)
        return await symbolication.symbolicate(
            record.diagnostics(readBy: symbolication.reader), with: access,
            findingCallStarts: findingCallStarts)
    }
}
