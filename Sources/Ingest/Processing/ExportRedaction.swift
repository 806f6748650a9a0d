import CallStacks
import OTLP
import Redaction
import ReportFormats

/// Redacts the marked diagnostics of a request, such as one that an exporter sends. Other records
/// stay unchanged, except for the resource and scope that they share with a diagnostic.
///
/// No diagnostic stays unredacted. If the redacted form of some cannot be encoded or decoded, their
/// bodies and all values of their attributes, resources and scopes are replaced, except that of
/// ``mark``. A request that is not OTLP is exported empty.
struct ExportRedaction {
    let level: RedactionLevel
    /// The attribute that every processed diagnostic has.
    let mark: String
    /// Redacts a request in JSON.
    let redactJSON: ([UInt8]) -> [UInt8]

    init(level: RedactionLevel, mark: String) {
        self.init(level: level, mark: mark) {
            FileRedaction(level, isWholeDocument: true).redacted($0, readAs: CrashFile())
        }
    }

    init(level: RedactionLevel, mark: String, redactJSON: @escaping ([UInt8]) -> [UInt8]) {
        self.level = level
        self.mark = mark
        self.redactJSON = redactJSON
    }

    func redacted(_ request: [UInt8]) -> [UInt8] {
        guard level != .none else { return request }
        guard var message = try? ExportLogsServiceRequest(decoding: request, as: .protobuf)
        else { return [] }
        redact(&message)
        return (try? message.encoded(as: .protobuf)) ?? []
    }

    func redact(_ message: inout ExportLogsServiceRequest) {
        for index in message.resourceLogs.indices { redact(&message.resourceLogs[index]) }
    }

    private func redact(_ logs: inout ResourceLogs) {
        var diagnostics = logs
        for scope in diagnostics.scopeLogs.indices {
            diagnostics.scopeLogs[scope].logRecords.removeAll { !isDiagnostic($0) }
        }
        diagnostics.scopeLogs.removeAll(where: \.logRecords.isEmpty)
        guard !diagnostics.scopeLogs.isEmpty else { return }
        let redacted = redacted(diagnostics) ?? masked(diagnostics)
        logs.resource = redacted.resource
        var scopes = redacted.scopeLogs[...]
        for index in logs.scopeLogs.indices
        where logs.scopeLogs[index].logRecords.contains(where: isDiagnostic) {
            replaceDiagnostics(of: &logs.scopeLogs[index], by: scopes.removeFirst())
        }
    }

    /// Returns resource, scopes and records without private values, or `nil` if that is impossible.
    private func redacted(_ logs: ResourceLogs) -> ResourceLogs? {
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [logs]
        guard let json = try? request.encoded(as: .json),
            let result = try? ExportLogsServiceRequest(decoding: redactJSON(json), as: .json),
            let redacted = result.resourceLogs.first,
            redacted.scopeLogs.map(\.logRecords.count) == logs.scopeLogs.map(\.logRecords.count)
        else { return nil }
        return redacted
    }

    private func replaceDiagnostics(of logs: inout ScopeLogs, by redacted: ScopeLogs) {
        logs.scope = redacted.scope
        var records = redacted.logRecords[...]
        for index in logs.logRecords.indices where isDiagnostic(logs.logRecords[index]) {
            logs.logRecords[index] = records.removeFirst()
        }
    }

    private func isDiagnostic(_ record: LogRecord) -> Bool { record.attributes[mark] != nil }
}

extension ExportRedaction {
    private static let placeholder = AnyValue(.stringValue(RedactionLevel.placeholder))

    /// Returns resource, scopes and records without any value but the mark.
    private func masked(_ logs: ResourceLogs) -> ResourceLogs {
        var logs = logs
        mask(&logs.resource.attributes)
        for scope in logs.scopeLogs.indices {
            mask(&logs.scopeLogs[scope].scope.attributes)
            for record in logs.scopeLogs[scope].logRecords.indices {
                mask(&logs.scopeLogs[scope].logRecords[record])
            }
        }
        return logs
    }

    private func mask(_ record: inout LogRecord) {
        mask(&record.attributes)
        if record.hasBody { record.body = Self.placeholder }
    }

    private func mask(_ attributes: inout [KeyValue]) {
        for index in attributes.indices where attributes[index].key != mark {
            attributes[index].value = Self.placeholder
        }
    }
}
