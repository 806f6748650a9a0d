/// What an entry of the journal holds. The numbers stand in the database and never change meaning.
public enum Signal: Int, Sendable, CaseIterable {
    /// `ExportLogsServiceRequest` of OTLP, as protobuf.
    case logs = 1
    /// `ExportTraceServiceRequest`, as protobuf; passed on unread.
    case traces = 2
    /// `ExportMetricsServiceRequest`, as protobuf; passed on unread.
    case metrics = 3
    /// One MetricKit payload, the JSON as it was posted.
    case metricKit = 4
    /// A diagnostic that is sent once more, or at last: a ``RevisionReference``.
    case revision = 5
}
