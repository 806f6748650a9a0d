/// A signal of OpenTelemetry, whose requests are exported. The raw values are stored in the database
/// and never change meaning.
public enum Signal: Int, Sendable, CaseIterable {
    /// `ExportLogsServiceRequest` of OTLP.
    case logs = 1
    /// `ExportTraceServiceRequest`.
    case traces = 2
    /// `ExportMetricsServiceRequest`.
    case metrics = 3
}

extension Signal: CustomStringConvertible {
    /// The name in the paths of OTLP/HTTP, in settings and in logs.
    public var description: String {
        switch self {
        case .logs: "logs"
        case .traces: "traces"
        case .metrics: "metrics"
        }
    }
}
