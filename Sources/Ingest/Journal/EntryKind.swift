/// The content of a journal entry. The raw values are stored in the database, in columns named
/// `signal`, and never change meaning.
public enum EntryKind: Int, Sendable, CaseIterable {
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

    /// The kind of an entry with a request of a signal.
    public init(_ signal: Signal) {
        self =
            switch signal {
            case .logs: .logs
            case .traces: .traces
            case .metrics: .metrics
            }
    }

    /// The signal of a request that can be exported as received, or `nil` for other entries.
    public var signal: Signal? {
        switch self {
        case .logs: .logs
        case .traces: .traces
        case .metrics: .metrics
        case .metricKit, .revision: nil
        }
    }
}
