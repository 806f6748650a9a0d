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

    /// A diagnostic as received.
    public struct Received: Sendable {
        /// The MetricKit payload that contains the diagnostic, or its log record alone as OTLP
        /// JSON.
        public let bytes: [UInt8]
        /// The log record with the diagnostic, or the one that was made from the payload.
        package let record: OTLP.LogRecord
        package let scope: InstrumentationScope
        package let resource: Resource

        /// The identifiers of the trace and the span in which it happened; empty without a trace.
        public var trace: [UInt8] { Array(record.traceID) }
        public var span: [UInt8] { Array(record.spanID) }
    }

    /// Returns a diagnostic as received, or `nil` if its entry is no longer stored.
    public func received(
        _ diagnostic: DiagnosticRecord
    ) async throws(JournalError) -> Received? {
        let address = diagnostic.address
        guard let entry = try await journal.entry(address.entry),
            let records = EntryRecords(
                of: entry, reader: symbolication.reader, hasAdditions: false),
            var record = records.record(at: address.position)
        else { return nil }
        let sender = records.sender(of: address.position)
        return Received(
            bytes: records.payload == nil
                ? Self.json(of: records.request(with: &record)) : entry.draft.body,
            record: record.content, scope: sender.scope, resource: sender.resource)
    }

    /// Returns an encoded request as JSON, or no bytes if it cannot be read.
    private static func json(of request: [UInt8]?) -> [UInt8] {
        do throws(OTLPError) {
            guard let request else { return [] }
            return try ExportLogsServiceRequest(decoding: request, as: .protobuf).encoded(as: .json)
        } catch { return [] }
    }

    /// - Parameters:
    ///   - app: The app that the caller's token is bound to, which limits the files to that app's,
    ///     or `nil` for the files that the worker used.
    ///   - findingCallStarts: See ``Symbolication/Symbolicator/findsCallStarts``.
    /// - Returns: An empty array if the entry is no longer stored.
    public func diagnostics(
        of diagnostic: DiagnosticRecord, boundTo app: String? = nil, findingCallStarts: Bool = false
    ) async throws(JournalError) -> [SymbolicatedDiagnostic] {
        let address = diagnostic.address
        guard let entry = try await journal.entry(address.entry),
            let record = EntryRecords(of: entry, reader: symbolication.reader, hasAdditions: false)?
                .record(at: address.position)
        else { return [] }
        let access = symbolication.access(of: diagnostic.app, from: app ?? entry.draft.app)
        return await symbolication.symbolicate(
            record.diagnostics(readBy: symbolication.reader), with: access,
            findingCallStarts: findingCallStarts)
    }
}
