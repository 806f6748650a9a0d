// DO NOT EDIT.
// swift-format-ignore-file
//
// Made by Scripts/generate-otlp from the descriptors of the requests.

/// Which fields of a message hold messages.
enum NestedMessages {
    /// For each message the numbers of such fields, which message they hold, as its row in this
    /// table, and whether they hold any number of them. The requests of logs, traces and metrics
    /// are the first rows.
    static let fields: [[(number: UInt64, message: Int, isRepeated: Bool)]] = [
        [(1, 3, true)],  // 0: ExportLogsServiceRequest
        [(1, 4, true)],  // 1: ExportTraceServiceRequest
        [(1, 5, true)],  // 2: ExportMetricsServiceRequest
        [(1, 6, false), (2, 7, true)],  // 3: ResourceLogs
        [(1, 6, false), (2, 8, true)],  // 4: ResourceSpans
        [(1, 6, false), (2, 9, true)],  // 5: ResourceMetrics
        [(1, 10, true), (3, 11, true)],  // 6: Resource
        [(1, 12, false), (2, 13, true)],  // 7: ScopeLogs
        [(1, 12, false), (2, 14, true)],  // 8: ScopeSpans
        [(1, 12, false), (2, 15, true)],  // 9: ScopeMetrics
        [(2, 16, false)],  // 10: KeyValue
        [],  // 11: EntityRef
        [(3, 10, true)],  // 12: InstrumentationScope
        [(5, 16, false), (6, 10, true)],  // 13: LogRecord
        [(9, 10, true), (11, 17, true), (13, 18, true), (15, 19, false)],  // 14: Span
        [(5, 20, false), (7, 21, false), (9, 22, false), (10, 23, false), (11, 24, false), (12, 10, true)],  // 15: Metric
        [(5, 25, false), (6, 26, false)],  // 16: AnyValue
        [(3, 10, true)],  // 17: Event
        [(4, 10, true)],  // 18: Link
        [],  // 19: Status
        [(1, 27, true)],  // 20: Gauge
        [(1, 27, true)],  // 21: Sum
        [(1, 28, true)],  // 22: Histogram
        [(1, 29, true)],  // 23: ExponentialHistogram
        [(1, 30, true)],  // 24: Summary
        [(1, 16, true)],  // 25: ArrayValue
        [(1, 10, true)],  // 26: KeyValueList
        [(7, 10, true), (5, 31, true)],  // 27: NumberDataPoint
        [(9, 10, true), (8, 31, true)],  // 28: HistogramDataPoint
        [(1, 10, true), (8, 32, false), (9, 32, false), (11, 31, true)],  // 29: ExponentialHistogramDataPoint
        [(7, 10, true), (6, 33, true)],  // 30: SummaryDataPoint
        [(7, 10, true)],  // 31: Exemplar
        [],  // 32: Buckets
        [],  // 33: ValueAtQuantile
    ]
}
