import CallStacks
import JSONText
import MetricKitPayloads
import OTLP

/// Works on one MetricKit payload: a log record for each of its diagnostics, symbolicated.
struct PayloadWork: Sendable {
    let symbolication: DiagnosticSymbolication
    let enrichment: Enrichment

    /// The instrumentation library that would have sent the records from the device.
    static let scopeName = "MetricKit"
    static let scopeVersion = "0.0.1"

    /// The records of a payload, in the order in which the instrumentation sends them.
    struct Result {
        var records: [OTLP.LogRecord] = []
        /// One for each record.
        var rows: [DiagnosticRow] = []
        var resource = Resource()
    }

    func work(on entry: JournalEntry) async -> Result {
        let bytes = entry.draft.body
        let received = Self.diagnostics(of: bytes, symbolication.reader)
        var result = Result()
        if let details = received.first?.details { result.resource = Self.resource(of: details) }
        for (position, diagnostic) in received.enumerated() {
            var record = DiagnosticRecord(diagnostic, of: entry, bytes: bytes).record
            let uid = RecordUID(entry.draft.key, position: position).text
            let symbolicated = await symbolication.symbolicate(diagnostic)
            let row = DiagnosticRow(
                [symbolicated], uid: uid,
                place: RecordPlace(entry: entry.number, position: position),
                arrival: entry.draft.arrival, record: nil)
            guard let row else { continue }
            enrichment.apply(
                [symbolicated], from: AttributeKeys.stackTrace, uid: uid, revision: row.revision,
                to: &record)
            result.records.append(record)
            result.rows.append(row)
        }
        return result
    }

    /// The diagnostics of a payload in the order of their records.
    static func diagnostics(of bytes: [UInt8], _ reader: PayloadReader) -> [ReceivedDiagnostic] {
        reader.read(bytes).diagnostics.enumerated().sorted {
            ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset)
        }.map(\.element)
    }

    private static func resource(
        of details: DiagnosticDetails
    ) -> Resource {
        var resource = Resource()
        // OpenTelemetry wants a name in any case, and this one where there is none.
        resource.attributes.set(
            AttributeKeys.serviceName, details.bundleIdentifier ?? "unknown_service")
        if let version = details.appVersion {
            resource.attributes.set(AttributeKeys.serviceVersion, version)
        }
        return resource
    }
}

extension PayloadWork.Result {
    /// Some of the records, with their resource and scope.
    func request(
        of records: [OTLP.LogRecord]
    ) -> ExportLogsServiceRequest {
        var scope = ScopeLogs()
        scope.scope.name = PayloadWork.scopeName
        scope.scope.version = PayloadWork.scopeVersion
        scope.logRecords = records
        var resourceLogs = ResourceLogs()
        resourceLogs.resource = resource
        resourceLogs.scopeLogs = [scope]
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [resourceLogs]
        return request
    }
}

extension DiagnosticKind {
    /// The place of its records among those of a payload.
    fileprivate var rank: Int {
        switch self {
        case .appLaunch: 0
        case .diskWriteException: 1
        case .hang: 2
        case .cpuException: 3
        case .crash: 4
        case .memoryException: 5
        case .unknown: 6
        }
    }
}
