import CallStacks
import OTLP
import Redaction
import ReportFormats

/// Redacts requests before they are stored, for services that must not keep private values.
///
/// Diagnostics in log requests are redacted with their resource and their scope, as for exporters,
/// and MetricKit payloads as a whole. Nothing that identifies or names a frame changes. Requests
/// without a diagnostic stay unchanged, and every request keeps its key, so that duplicates of a
/// payload are still recognised.
public struct ArrivalRedaction: Sendable {
    private let records: RecordProcessor

    private static let level = RedactionLevel.standard
    /// A temporary attribute that marks the diagnostics of a request during redaction.
    private static let mark = "symbolist.arrival_redaction"

    init(records: RecordProcessor) { self.records = records }

    /// Returns a request without private values.
    public func redacted(_ draft: JournalDraft) -> JournalDraft {
        var draft = draft
        switch draft.kind {
        case .logs: draft.body = redactedLogs(of: draft)
        case .metricKit:
            draft.body = FileRedaction(Self.level, isWholeDocument: true)
                .redacted(draft.body, readAs: CrashFile())
        case .traces, .metrics, .revision: break
        }
        return draft
    }

    private func redactedLogs(of draft: JournalDraft) -> [UInt8] {
        let positions = diagnosticPositions(in: draft)
        guard !positions.isEmpty,
            var request = try? ExportLogsServiceRequest(decoding: draft.body, as: .protobuf)
        else { return draft.body }
        request.changeRecords { position, record in
            if positions.contains(position) { record.attributes[Self.mark] = .boolValue(true) }
        }
        ExportRedaction(level: Self.level, mark: Self.mark).redact(&request)
        request.changeRecords { $1.attributes[Self.mark] = nil }
        // If the request cannot be encoded, it is dropped, because it would contain private values.
        return (try? request.encoded(as: .protobuf)) ?? []
    }

    /// Returns the positions of the records that contain a diagnostic.
    private func diagnosticPositions(in draft: JournalDraft) -> Set<Int> {
        guard let found = records.records(of: JournalEntry(number: 0, draft: draft))
        else { return [] }
        var positions: Set<Int> = []
        found.forEach { record in
            if records.isDiagnostic(record) { positions.insert(record.position) }
        }
        return positions
    }
}

extension ExportLogsServiceRequest {
    /// Changes each record, with its position among all records of the request.
    fileprivate mutating func changeRecords(_ change: (Int, inout LogRecord) -> Void) {
        var position = 0
        for resource in resourceLogs.indices {
            for scope in resourceLogs[resource].scopeLogs.indices {
                for record in resourceLogs[resource].scopeLogs[scope].logRecords.indices {
                    change(position, &resourceLogs[resource].scopeLogs[scope].logRecords[record])
                    position += 1
                }
            }
        }
    }
}
