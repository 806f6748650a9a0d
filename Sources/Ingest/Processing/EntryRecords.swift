import MetricKitPayloads
import MetricKitSignals
import OTLP

/// A log record at its address in the journal, with everything needed to process it alone.
struct EntryRecord {
    enum Origin {
        /// An export request, with the record's scope and the attributes of its resource.
        case request(scopeName: String, resource: [String: ReceivedRecord.Value])
        /// A MetricKit payload, with the diagnostic that the record was created from.
        case payload(ReceivedDiagnostic, Resource)
    }

    let entry: JournalEntry
    /// The index among the records of the entry.
    let position: Int
    let origin: Origin
    var content: EncodedLogRecord

    var address: RecordAddress { RecordAddress(entry: entry.number, position: position) }

    var uid: RecordUID { RecordUID(entry.draft.key, position: position) }

    /// Returns the diagnostics as received.
    func diagnostics(readBy reader: PayloadReader) -> [ReceivedDiagnostic] {
        switch origin {
        case .request(let scopeName, let resource):
            reader.read(ReceivedRecord(content, scopeName: scopeName, resource: resource))
                .diagnostics
        case .payload(let diagnostic, _): [diagnostic]
        }
    }
}

/// The log records of an entry: those of an export request, or those created from a MetricKit
/// payload.
///
/// Only records that may contain a diagnostic are read.
struct EntryRecords {
    /// The fate of a record in the exported request.
    enum Fate {
        case unchanged
        case changed
        /// It is omitted.
        case removed
    }

    let entry: JournalEntry
    /// The signals of a MetricKit payload, or `nil` for an export request.
    let payload: PayloadSignals?
    private let layout: LogRequestLayout
    private var edit: LogRequestEdit
    private let aliases: LogRecordAliases

    /// - Parameter hasAdditions: Whether records made from payloads have attributes that the
    ///   instrumentation does not send.
    /// - Returns: `nil` if the entry is not of log records or a payload, or cannot be read.
    init?(of entry: JournalEntry, reader: PayloadReader, hasAdditions: Bool) {
        let request: [UInt8]
        switch entry.draft.kind {
        case .logs:
            payload = nil
            request = entry.draft.body
        case .metricKit:
            let signals = PayloadSignals(of: entry, reader: reader, hasAdditions: hasAdditions)
            let logs = PayloadSignals.logs(of: signals.records.map { ($0.resource, $0.record) })
            guard let encoded = try? logs.encoded(as: .protobuf) else { return nil }
            payload = signals
            request = encoded
        case .traces, .metrics, .revision: return nil
        }
        guard let layout = LogRequestLayout(request) else { return nil }
        self.entry = entry
        self.layout = layout
        edit = LogRequestEdit(of: layout)
        aliases = reader.aliases
    }

    var count: Int { layout.recordCount }

    /// The request with the changed records, and without the removed ones.
    var request: [UInt8] { edit.encoded }

    /// Returns the record at a position, or `nil` if there is none that may contain a diagnostic.
    func record(at position: Int) -> EntryRecord? {
        for scope in layout.recordsByScope where scope.positions.contains(position) {
            var sender = Sender(scope: scope.scope, resource: scope.resource)
            return record(at: position, from: &sender)
        }
        return nil
    }

    /// The scope and the resource of the record at a position.
    func sender(of position: Int) -> (scope: InstrumentationScope, resource: Resource) {
        let found = layout.recordsByScope.first { $0.positions.contains(position) }
        guard let found else { return (InstrumentationScope(), Resource()) }
        return (layout.scope(at: found.scope), layout.resource(at: found.resource))
    }

    /// Returns a request with only one of these records, with its resource and scope.
    func request(with record: EntryRecord) -> [UInt8] {
        var single = LogRequestEdit(of: layout)
        single.keepOnly(record.position)
        single.replace(at: record.position, with: record.content.pieces)
        return single.encoded
    }

    /// Reads each record that may contain a diagnostic, in order.
    func forEach(_ body: (EntryRecord) -> Void) {
        for scope in layout.recordsByScope {
            var sender = Sender(scope: scope.scope, resource: scope.resource)
            for position in scope.positions {
                if let record = record(at: position, from: &sender) { body(record) }
            }
        }
    }

    /// Changes or removes records.
    ///
    /// - Parameter change: Called for each record that may contain a diagnostic, in order.
    mutating func update(_ change: (inout EntryRecord) async -> Fate) async {
        for scope in layout.recordsByScope {
            var sender = Sender(scope: scope.scope, resource: scope.resource)
            for position in scope.positions {
                guard var record = record(at: position, from: &sender) else { continue }
                switch await change(&record) {
                case .unchanged: break
                case .changed: edit.replace(at: position, with: record.content.pieces)
                case .removed: edit.remove(at: position)
                }
            }
        }
    }

    /// The scope and the resource of records, read when the first of them needs them.
    private struct Sender {
        let scope: Int
        let resource: Int
        var origin: EntryRecord.Origin?

        mutating func origin(in layout: LogRequestLayout) -> EntryRecord.Origin {
            if let origin { return origin }
            let origin = EntryRecord.Origin.request(
                scopeName: layout.scopeName(at: scope),
                resource: ReceivedRecord.values(layout.resourceAttributes(at: resource)))
            self.origin = origin
            return origin
        }
    }

    private func record(at position: Int, from sender: inout Sender) -> EntryRecord? {
        let made = payload?.records[position]
        // Most records of an app have no such attribute.
        guard
            made != nil
                || layout.record(at: position, hasAttribute: { aliases.mayContainStack(named: $0) }),
            let content = layout.record(at: position)
        else { return nil }
        let origin = made.map { EntryRecord.Origin.payload($0.diagnostic, $0.resource) }
        return EntryRecord(
            entry: entry, position: position, origin: origin ?? sender.origin(in: layout),
            content: content)
    }
}

extension PayloadSignals {
    fileprivate init(of entry: JournalEntry, reader: PayloadReader, hasAdditions: Bool) {
        // Keys are as long as the start of a digest, so the first of these is never nil.
        let identity =
            SignalIdentity(digest: entry.draft.key.bytes) ?? SignalIdentity(of: entry.draft.body)
        self.init(
            of: entry.draft.body, reader: reader,
            context: ConversionContext(
                arrival: entry.draft.arrival, identity: identity, hasAdditions: hasAdditions))
    }
}
