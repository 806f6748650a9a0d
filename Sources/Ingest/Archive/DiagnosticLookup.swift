public import CallStacks
import MetricKitPayloads
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

    /// The log record with a diagnostic: as received, or as created from a payload. The attributes
    /// that contain the report are empty.
    public struct Received: Sendable {
        package let record: OTLP.LogRecord
        package let scope: InstrumentationScope
        package let resource: Resource

        /// The identifiers of the trace and the span in which it happened; empty without a trace.
        public var trace: [UInt8] { Array(record.traceID) }
        public var span: [UInt8] { Array(record.spanID) }
    }

    /// A diagnostic in its entry of the journal, which is read once for all of its forms.
    public struct Stored {
        private let app: String?
        private let records: EntryRecords
        private let record: EntryRecord
        private let symbolication: DiagnosticSymbolication

        fileprivate init?(
            _ diagnostic: DiagnosticRecord, in entry: JournalEntry,
            _ symbolication: DiagnosticSymbolication
        ) {
            let found = EntryRecords(of: entry, reader: symbolication.reader, hasAdditions: false)
            guard let found, let record = found.record(at: diagnostic.address.position)
            else { return nil }
            app = diagnostic.app
            records = found
            self.record = record
            self.symbolication = symbolication
        }

        public var received: Received {
            let sender = records.sender(of: record.position)
            return Received(
                record: recordWithoutReport.message, scope: sender.scope,
                resource: sender.resource)
        }

        /// The record without the report, which is by far the longest value, so that decoding the
        /// others takes little time.
        private var recordWithoutReport: EncodedLogRecord {
            var reports: [String] = []
            record.content.attributes.forEach { key, _ in
                if symbolication.reader.aliases.mayContainStack(attribute: key) {
                    reports.append(key)
                }
            }
            var content = record.content
            for key in reports { content.attributes.set(key, "") }
            return content
        }

        /// Returns the MetricKit payload that contains the diagnostic, or its log record alone as
        /// OTLP JSON. Returns `nil` if the record cannot be encoded.
        public func original() -> [UInt8]? {
            guard records.payload == nil else { return record.entry.draft.body }
            do throws(OTLPError) {
                return try ExportLogsServiceRequest(
                    decoding: records.request(with: record), as: .protobuf
                ).encoded(as: .json)
            } catch { return nil }
        }

        /// See ``DiagnosticLookup/diagnostics(of:boundTo:findingCallStarts:)``.
        public func symbolicated(
            boundTo app: String?, findingCallStarts: Bool
        ) async -> [SymbolicatedDiagnostic] {
            let access = symbolication.access(
                of: self.app, from: app ?? record.entry.draft.app)
            return await symbolication.symbolicate(
                record.diagnostics(readBy: symbolication.reader), with: access,
                findingCallStarts: findingCallStarts)
        }
    }

    /// Returns a diagnostic in its entry, or `nil` if the entry is no longer stored.
    public func stored(_ diagnostic: DiagnosticRecord) async throws(JournalError) -> Stored? {
        guard let entry = try await journal.entry(diagnostic.address.entry) else { return nil }
        return Stored(diagnostic, in: entry, symbolication)
    }

    /// - Parameters:
    ///   - app: The app that the caller's token is bound to, which limits the files to that app's,
    ///     or `nil` for the files that the worker used.
    ///   - findingCallStarts: See ``Symbolication/Symbolicator/findsCallStarts``.
    /// - Returns: An empty array if the entry is no longer stored.
    public func diagnostics(
        of diagnostic: DiagnosticRecord, boundTo app: String?, findingCallStarts: Bool = false
    ) async throws(JournalError) -> [SymbolicatedDiagnostic] {
        guard let stored = try await stored(diagnostic) else { return [] }
        return await stored.symbolicated(boundTo: app, findingCallStarts: findingCallStarts)
    }
}
