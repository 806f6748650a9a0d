/// The content of a journal entry. The raw values are stored in the database and never change
/// meaning.
public enum Signal: Int, Sendable, CaseIterable {
    /// `ExportLogsServiceRequest` of OTLP as protobuf.
    case logs = 1
    /// `ExportTraceServiceRequest` as protobuf, exported as received.
    case traces = 2
    /// `ExportMetricsServiceRequest` as protobuf, exported as received.
    case metrics = 3
    /// One MetricKit payload, as posted JSON.
    case metricKit = 4
    /// A diagnostic to send again, or to release from its hold: a ``RevisionReference``.
    case revision = 5
}
