import JSONText

/// What an element of an upload is, by its structure.
///
/// Attribute and file names never decide alone: SDKs send the same structure under several names,
/// and other structures under the same one.
public enum PayloadShape: String, Hashable, Sendable, CaseIterable {
    /// `MXDiagnosticPayload.jsonRepresentation()`.
    case diagnosticPayload = "diagnostic_payload"
    /// `MXDiagnostic.jsonRepresentation()`.
    case diagnostic
    /// A call-stack tree, in any of its forms, wrapped in `callStackTree` or not.
    case callStackTree = "call_stack_tree"
    /// `DiagnosticReport` of iOS 27, or the result that it is about.
    case diagnosticReport27 = "diagnostic_report_27"
    case metricPayload = "metric_payload"
    case metricReport27 = "metric_report_27"
    /// An OTLP/JSON export request, or a part of one. Each of its records is an element.
    case logRecords = "log_records"
    case logRecord = "log_record"
    /// `NSException.callStackSymbols`, a line a frame.
    case exceptionText = "exception_text"
    case unknown = "unknown_shape"

    /// Whether MetricKit wrote it, and not a log exporter around it.
    var isOfMetricKit: Bool {
        holdsStacks || self == .metricPayload || self == .metricReport27
    }

    /// Whether diagnostics come out of it.
    var holdsStacks: Bool {
        switch self {
        case .diagnosticPayload, .diagnostic, .callStackTree, .diagnosticReport27, .exceptionText:
            true
        case .metricPayload, .metricReport27, .logRecords, .logRecord, .unknown: false
        }
    }
}

extension PayloadShape {
    /// The first shape that fits an object.
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
            } else if LogRecordJSON.holdsRecords(value) {
                .logRecords
            } else {
                LogRecordJSON.isRecord(value) ? .logRecord : .unknown
            }
    }

    /// A report of iOS 27: its time range beside an environment or a result.
    private static func shape27(of value: JSONValue) -> Self? {
        if value["timeRange"] != nil,
            value["environment"] != nil || Result27(in: value) != nil
        {
            return .diagnosticReport27
        }
        if value["intervalEntries"] != nil || value["stateEntries"] != nil {
            return .metricReport27
        }
        return nil
    }

    private static func stackShape(of value: JSONValue) -> Self? {
        if value["callStackTree"]?.kind == .object {
            if value["diagnosticMetaData"] != nil || value["version"] != nil { return .diagnostic }
            return Result27.telltaleKeys.contains { value[$0] != nil }
                ? .diagnosticReport27 : .callStackTree
        }
        if value["callStacks"]?.kind == .array || value["callStackThreads"]?.kind == .array {
            return .callStackTree
        }
        return Result27(in: value) == nil ? nil : .diagnosticReport27
    }

    /// A payload with time stamps and no diagnostics: one of metrics, or one that is empty.
    private static func metricShape(of value: JSONValue) -> Self {
        let isMetric = value.members.contains { member in
            DiagnosticKeys.metrics.contains { member.isNamed($0) }
        }
        return isMetric ? .metricPayload : .diagnosticPayload
    }
}
