import JSONText

/// The shape of an element of an upload, detected from its structure.
///
/// The names of attributes and files are never sufficient: SDKs send the same structure under
/// several names, and different structures under the same name.
public enum PayloadShape: String, Hashable, Sendable, CaseIterable {
    /// `MXDiagnosticPayload.jsonRepresentation()`.
    case diagnosticPayload = "diagnostic_payload"
    /// `MXDiagnostic.jsonRepresentation()`.
    case diagnostic
    /// A call-stack tree, in any of its forms, wrapped in `callStackTree` or not.
    case callStackTree = "call_stack_tree"
    /// `DiagnosticReport` of iOS 27, or only its result.
    case diagnosticReport27 = "diagnostic_report_27"
    case metricPayload = "metric_payload"
    case metricReport27 = "metric_report_27"
    /// An OTLP/JSON export request, or a part of one. Each of its records is an element.
    case logRecords = "log_records"
    case logRecord = "log_record"
    /// `NSException.callStackSymbols`, one line per frame.
    case exceptionText = "exception_text"
    case unknown = "unknown_shape"

    /// Whether the shape is MetricKit's own, and not that of a log exporter around it.
    var isOfMetricKit: Bool {
        containsStacks || self == .metricPayload || self == .metricReport27
    }

    /// Whether the shape contains diagnostics.
    var containsStacks: Bool {
        switch self {
        case .diagnosticPayload, .diagnostic, .callStackTree, .diagnosticReport27, .exceptionText:
            true
        case .metricPayload, .metricReport27, .logRecords, .logRecord, .unknown: false
        }
    }
}

extension PayloadShape {
    /// Detects the first shape that matches an object.
    init(of value: JSONValue) {
        self =
            if value.kind != .object {
                .unknown
            } else if DiagnosticKeys.arrays.contains(where: { value[$0.key]?.kind == .array }) {
                .diagnosticPayload
            } else if let shape = Self.shape27(of: value) ?? Self.stackShape(of: value) {
                shape
            } else if value["timeStampBegin"] != nil || value["timeStampEnd"] != nil {
                Self.metricShape(of: value)
            } else if LogRecordJSON.containsRecords(value) {
                .logRecords
            } else {
                LogRecordJSON.isRecord(value) ? .logRecord : .unknown
            }
    }

    /// Returns the shape of a report of iOS 27: metrics have entries, and a diagnostic has a time range
    /// next to an environment or a result.
    private static func shape27(of value: JSONValue) -> Self? {
        let hasEntries = value["intervalEntries"] != nil || value["stateEntries"] != nil
        if hasEntries, DiagnosticResult27(in: value) == nil { return .metricReport27 }
        guard value["timeRange"] != nil,
            value["environment"] != nil || DiagnosticResult27(in: value) != nil
        else { return nil }
        return .diagnosticReport27
    }

    private static func stackShape(of value: JSONValue) -> Self? {
        if value["callStackTree"]?.kind == .object {
            if value["diagnosticMetaData"] != nil || value["version"] != nil { return .diagnostic }
            return DiagnosticResult27.telltaleKeys.contains { value[$0] != nil }
                ? .diagnosticReport27 : .callStackTree
        }
        if value["callStacks"]?.kind == .array || value["callStackThreads"]?.kind == .array {
            return .callStackTree
        }
        return DiagnosticResult27(in: value) == nil ? nil : .diagnosticReport27
    }

    /// Returns the shape of a payload with time stamps and without diagnostics: a metric payload,
    /// or an empty one.
    private static func metricShape(of value: JSONValue) -> Self {
        let isMetric = value.members.contains { member in
            DiagnosticKeys.metrics.contains { member.isNamed($0) }
        }
        return isMetric ? .metricPayload : .diagnosticPayload
    }
}
