import OTLP
import Testing

@Suite("The number of records in a request")
struct RequestRecordTests {
    @Test("log records, spans and metrics are counted, in any number of resources and scopes")
    func signals() throws {
        var logs = ExportLogsServiceRequest()
        logs.resourceLogs = [ResourceLogs(), ResourceLogs()]
        logs.resourceLogs[0].scopeLogs = [ScopeLogs(), ScopeLogs()]
        logs.resourceLogs[0].scopeLogs[1].logRecords = [LogRecord(), LogRecord()]
        logs.resourceLogs[1].scopeLogs = [ScopeLogs()]
        logs.resourceLogs[1].scopeLogs[0].logRecords = [LogRecord()]
        var spans = ExportTraceServiceRequest()
        spans.resourceSpans = [ResourceSpans()]
        spans.resourceSpans[0].scopeSpans = [ScopeSpans()]
        spans.resourceSpans[0].scopeSpans[0].spans = [OTLP.Span(), OTLP.Span()]
        var metrics = ExportMetricsServiceRequest()
        metrics.resourceMetrics = [ResourceMetrics()]
        metrics.resourceMetrics[0].scopeMetrics = [ScopeMetrics()]
        metrics.resourceMetrics[0].scopeMetrics[0].metrics = [OTLP.Metric()]
        #expect(RequestRecords(of: try logs.encoded(as: .protobuf)).count == 3)
        #expect(RequestRecords(of: try spans.encoded(as: .protobuf)).count == 2)
        #expect(RequestRecords(of: try metrics.encoded(as: .protobuf)).count == 1)
    }

    @Test("bytes that are not protobuf have no records")
    func malformed() {
        #expect(RequestRecords(of: []).count == 0)
        #expect(RequestRecords(of: [0xff]).count == 0)
        // A resource with a scope that ends in the middle of its second record.
        #expect(RequestRecords(of: [0x0a, 5, 0x12, 3, 0x12, 0, 0x12]).count == 1)
    }
}
