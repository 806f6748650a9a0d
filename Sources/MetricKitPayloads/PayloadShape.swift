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
    /// A log record of OTLP/JSON.
    case logRecord = "log_record"
    /// `NSException.callStackSymbols`, a line a frame.
    case exceptionText = "exception_text"
    case unknown = "unknown_shape"

    /// Whether diagnostics come out of it.
    var holdsStacks: Bool {
        switch self {
        case .diagnosticPayload, .diagnostic, .callStackTree, .diagnosticReport27, .exceptionText:
            true
        case .metricPayload, .metricReport27, .logRecord, .unknown: false
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
            } else {
                Self.metricShape(of: value)
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
            return Result27.fields.contains { value[$0] != nil }
                ? .diagnosticReport27 : .callStackTree
        }
        if value["callStacks"]?.kind == .array || value["callStackThreads"]?.kind == .array {
            return .callStackTree
        }
        return Result27(in: value) == nil ? nil : .diagnosticReport27
    }

    private static func metricShape(of value: JSONValue) -> Self {
        guard value["timeStampBegin"] != nil || value["timeStampEnd"] != nil else {
            return .unknown
        }
        let isMetric = value.members.contains { member in
            DiagnosticKeys.metrics.contains { member.isNamed($0) }
        }
        return isMetric ? .metricPayload : .diagnosticPayload
    }
}
