import CallStacks
import OTLP
import Redaction
import ReportFormats

/// Redacts diagnostics in the requests that exporters send. Other records stay unchanged, but not
/// the resource and the scope that they share with a diagnostic.
struct ExportRedaction {
    let level: RedactionLevel
    /// The attribute that every processed diagnostic has.
    let mark: String

    func redacted(_ request: [UInt8]) -> [UInt8] {
        guard level != .none,
            var message = try? ExportLogsServiceRequest(decoding: request, as: .protobuf)
        else { return request }
        for index in message.resourceLogs.indices { redact(&message.resourceLogs[index]) }
        return (try? message.encoded(as: .protobuf)) ?? request
    }

    private func redact(_ logs: inout ResourceLogs) {
        var diagnostics = logs
        for scope in diagnostics.scopeLogs.indices {
            diagnostics.scopeLogs[scope].logRecords.removeAll { !isDiagnostic($0) }
        }
        diagnostics.scopeLogs.removeAll(where: \.logRecords.isEmpty)
        guard !diagnostics.scopeLogs.isEmpty, let redacted = redacted(diagnostics) else { return }
        logs.resource = redacted.resource
        var scopes = redacted.scopeLogs[...]
        for index in logs.scopeLogs.indices
        where logs.scopeLogs[index].logRecords.contains(where: isDiagnostic) {
            replaceDiagnostics(of: &logs.scopeLogs[index], by: scopes.popFirst())
        }
    }

    /// Returns resource, scopes and records without private values.
    private func redacted(_ logs: ResourceLogs) -> ResourceLogs? {
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [logs]
        guard let json = try? request.encoded(as: .json) else { return nil }
        let redacted = FileRedaction(level).redacted(json, readAs: CrashFile())
        return try? ExportLogsServiceRequest(decoding: redacted, as: .json).resourceLogs.first
    }

    private func replaceDiagnostics(of logs: inout ScopeLogs, by redacted: ScopeLogs?) {
        guard let redacted else { return }
        logs.scope = redacted.scope
        var records = redacted.logRecords[...]
        for index in logs.logRecords.indices where isDiagnostic(logs.logRecords[index]) {
            if let record = records.popFirst() { logs.logRecords[index] = record }
        }
    }

    private func isDiagnostic(_ record: LogRecord) -> Bool { record.attributes[mark] != nil }
}
