import CallStacks
import MetricKitPayloads
import OTLP

/// Works on the records of one export request, one after the other, and keeps count of them.
struct RequestWork {
    let entry: JournalEntry
    let records: RecordWork
    /// The position of the only record that is worked on; `nil` for all of them.
    private let onlyPosition: Int?
    /// How many records the request holds.
    private(set) var recordCount = 0
    /// Whether any of them was changed.
    private(set) var isChanged = false
    private(set) var rows: [DiagnosticRow] = []

    init(entry: JournalEntry, records: RecordWork, onlyPosition: Int? = nil) {
        self.entry = entry
        self.records = records
        self.onlyPosition = onlyPosition
    }

    mutating func run(
        on request: inout ExportLogsServiceRequest
    ) async {
        for index in request.resourceLogs.indices {
            let resource = ReceivedRecord.values(request.resourceLogs[index].resource.attributes)
            for scope in request.resourceLogs[index].scopeLogs.indices {
                await run(on: &request.resourceLogs[index].scopeLogs[scope], resource)
            }
        }
    }

    private mutating func run(
        on scope: inout ScopeLogs,
        _ resource: [String: ReceivedRecord.Value]
    ) async {
        for index in scope.logRecords.indices {
            defer { recordCount += 1 }
            guard onlyPosition == nil || onlyPosition == recordCount else { continue }
            let outcome = await records.work(
                on: &scope.logRecords[index], scopeName: scope.scope.name, resource: resource,
                at: recordCount, of: entry)
            switch outcome {
            case .untouched: break
            case .failed: isChanged = true
            case .enriched(let row):
                isChanged = true
                rows.append(row)
            }
        }
    }
}
