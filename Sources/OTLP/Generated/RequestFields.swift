// DO NOT EDIT.
// swift-format-ignore-file
//
// Made by Scripts/generate-otlp from the descriptors of the requests.

/// The fields of messages whose bytes have a form of their own.
enum RequestFields {
    /// For each message the numbers of such fields and their contents. The requests of logs, traces
    /// and metrics are the first rows.
    static let rows: [[(number: UInt64, content: FieldContent)]] = [
        [(1, .message(row: 3, isRepeated: true))],  // 0: ExportLogsServiceRequest
        [(1, .message(row: 4, isRepeated: true))],  // 1: ExportTraceServiceRequest
        [(1, .message(row: 5, isRepeated: true))],  // 2: ExportMetricsServiceRequest
        [(1, .message(row: 6, isRepeated: false)), (2, .message(row: 7, isRepeated: true)), (3, .text)],  // 3: ResourceLogs
        [(1, .message(row: 6, isRepeated: false)), (2, .message(row: 8, isRepeated: true)), (3, .text)],  // 4: ResourceSpans
        [(1, .message(row: 6, isRepeated: false)), (2, .message(row: 9, isRepeated: true)), (3, .text)],  // 5: ResourceMetrics
        [(1, .message(row: 10, isRepeated: true)), (3, .message(row: 11, isRepeated: true))],  // 6: Resource
        [(1, .message(row: 12, isRepeated: false)), (2, .message(row: 13, isRepeated: true)), (3, .text)],  // 7: ScopeLogs
        [(1, .message(row: 12, isRepeated: false)), (2, .message(row: 14, isRepeated: true)), (3, .text)],  // 8: ScopeSpans
        [(1, .message(row: 12, isRepeated: false)), (2, .message(row: 15, isRepeated: true)), (3, .text)],  // 9: ScopeMetrics
        [(1, .text), (2, .message(row: 16, isRepeated: false))],  // 10: KeyValue
        [(1, .text), (2, .text), (3, .text), (4, .text)],  // 11: EntityRef
        [(1, .text), (2, .text), (3, .message(row: 10, isRepeated: true))],  // 12: InstrumentationScope
        [(3, .text), (5, .message(row: 16, isRepeated: false)), (6, .message(row: 10, isRepeated: true)), (12, .text)],  // 13: LogRecord
        [(3, .text), (5, .text), (9, .message(row: 10, isRepeated: true)), (11, .message(row: 17, isRepeated: true)), (13, .message(row: 18, isRepeated: true)), (15, .message(row: 19, isRepeated: false))],  // 14: Span
        [(1, .text), (2, .text), (3, .text), (5, .message(row: 20, isRepeated: false)), (7, .message(row: 21, isRepeated: false)), (9, .message(row: 22, isRepeated: false)), (10, .message(row: 23, isRepeated: false)), (11, .message(row: 24, isRepeated: false)), (12, .message(row: 10, isRepeated: true))],  // 15: Metric
        [(1, .text), (5, .message(row: 25, isRepeated: false)), (6, .message(row: 26, isRepeated: false))],  // 16: AnyValue
        [(2, .text), (3, .message(row: 10, isRepeated: true))],  // 17: Event
        [(3, .text), (4, .message(row: 10, isRepeated: true))],  // 18: Link
        [(2, .text)],  // 19: Status
        [(1, .message(row: 27, isRepeated: true))],  // 20: Gauge
        [(1, .message(row: 27, isRepeated: true))],  // 21: Sum
        [(1, .message(row: 28, isRepeated: true))],  // 22: Histogram
        [(1, .message(row: 29, isRepeated: true))],  // 23: ExponentialHistogram
        [(1, .message(row: 30, isRepeated: true))],  // 24: Summary
        [(1, .message(row: 16, isRepeated: true))],  // 25: ArrayValue
        [(1, .message(row: 10, isRepeated: true))],  // 26: KeyValueList
        [(7, .message(row: 10, isRepeated: true)), (5, .message(row: 31, isRepeated: true))],  // 27: NumberDataPoint
        [(9, .message(row: 10, isRepeated: true)), (6, .numbers(byteCount: 8)), (7, .numbers(byteCount: 8)), (8, .message(row: 31, isRepeated: true))],  // 28: HistogramDataPoint
        [(1, .message(row: 10, isRepeated: true)), (8, .message(row: 32, isRepeated: false)), (9, .message(row: 32, isRepeated: false)), (11, .message(row: 31, isRepeated: true))],  // 29: ExponentialHistogramDataPoint
        [(7, .message(row: 10, isRepeated: true)), (6, .message(row: 33, isRepeated: true))],  // 30: SummaryDataPoint
        [(7, .message(row: 10, isRepeated: true))],  // 31: Exemplar
        [(2, .varints)],  // 32: Buckets
        [],  // 33: ValueAtQuantile
    ]
}
