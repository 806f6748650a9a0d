import CallStacks
import Ingest
import JSONText
import MetricKitPayloads
import OTLP
import Pages
import Redaction

/// The attributes of a received log record, of its scope and of its resource, as a page shows them.
struct RecordAttributes {
    /// The sender's names for the attributes that contain the report.
    let aliases: LogRecordAliases
    let redaction: RedactionLevel

    func rows(of received: DiagnosticLookup.Received) -> [AttributeRow] {
        let scope = received.scope
        // OpenTelemetry's attribute names for the fields of a scope.
        let named = [("otel.scope.name", scope.name), ("otel.scope.version", scope.version)]
            .filter { !$0.1.isEmpty }
        return received.record.attributes.map { attribute in
            isReport(attribute.key)
                ? AttributeRow(.record, attribute.key, nil) : row(attribute, of: .record)
        } + received.resource.attributes.map { row($0, of: .resource) }
            + named.map { row(.scope, $0, $1) } + scope.attributes.map { row($0, of: .scope) }
    }

    /// Whether an attribute contains the report: as received, or as kept by another service that
    /// symbolicated it.
    private func isReport(_ key: String) -> Bool {
        aliases.mayContainStack(attribute: key) || key == "exception.stacktrace.original"
    }

    private func row(_ attribute: KeyValue, of subject: AttributeRow.Subject) -> AttributeRow {
        row(subject, attribute.key, text(of: attribute.value))
    }

    private func row(
        _ subject: AttributeRow.Subject, _ key: String, _ value: String
    ) -> AttributeRow {
        let redacted = redaction.redacted(attribute: key, value: value)
        return AttributeRow(subject, redacted.key, redacted.value)
    }

    /// Returns a value as text: a string without quotes, a list or a map as JSON.
    private func text(of value: AnyValue) -> String {
        switch value.value {
        case .arrayValue, .kvlistValue:
            var json = JSONWriter()
            write(value, to: &json)
            return json.text
        case .stringValue(let text): return text
        case .boolValue(let isTrue): return "\(isTrue)"
        case .intValue(let number): return "\(number)"
        case .doubleValue(let number): return "\(number)"
        case .bytesValue(let bytes): return "\(bytes.count) bytes"
        case .stringValueStrindex, nil: return ""
        }
    }

    /// Writes a value, to the depth that ``OTLPLimits`` allow.
    private func write(_ value: AnyValue, to json: inout JSONWriter) {
        switch value.value {
        case .arrayValue(let list):
            json.beginArray()
            for element in list.values { write(element, to: &json) }
            json.endArray()
        case .kvlistValue(let map):
            json.beginObject()
            for member in map.values {
                json.key(redaction.redacted(attribute: member.key, value: "").key)
                write(member.value, to: &json)
            }
            json.endObject()
        case .boolValue(let isTrue): json.bool(isTrue)
        case .intValue(let number): json.signed(number)
        default: json.string(text(of: value))
        }
    }
}
