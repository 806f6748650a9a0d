import Ingest
import OTLP
import Testing

/// Batches whose records have names, so that a test sees which of them arrived.
enum Records {
    /// A request of one log record for each name.
    static func logs(_ names: [String]) -> ExportBatch {
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [ResourceLogs()]
        request.resourceLogs[0].scopeLogs = [ScopeLogs()]
        request.resourceLogs[0].scopeLogs[0].logRecords = names.map { name in
            var record = LogRecord()
            record.body.stringValue = name
            return record
        }
        return batch(.logs, request, names.count)
    }

    static func spans(_ names: [String]) -> ExportBatch {
        var request = ExportTraceServiceRequest()
        request.resourceSpans = [ResourceSpans()]
        request.resourceSpans[0].scopeSpans = [ScopeSpans()]
        request.resourceSpans[0].scopeSpans[0].spans = names.map { name in
            var span = Span()
            span.name = name
            return span
        }
        return batch(.traces, request, names.count)
    }

    static func metrics(_ names: [String]) -> ExportBatch {
        var request = ExportMetricsServiceRequest()
        request.resourceMetrics = [ResourceMetrics()]
        request.resourceMetrics[0].scopeMetrics = [ScopeMetrics()]
        request.resourceMetrics[0].scopeMetrics[0].metrics = names.map { name in
            var metric = Metric()
            metric.name = name
            return metric
        }
        return batch(.metrics, request, names.count)
    }

    /// The names of the log records in a request.
    static func names(
        _ body: [UInt8], as encoding: OTLPEncoding = .protobuf
    ) throws -> [String] {
        try ExportLogsServiceRequest(decoding: body, as: encoding).resourceLogs
            .flatMap(\.scopeLogs).flatMap(\.logRecords).map(\.body.stringValue)
    }

    private static func batch(
        _ signal: Signal, _ request: some OTLPMessage, _ count: Int
    ) -> ExportBatch {
        do {
            let body = try request.encoded(as: .protobuf)
            return ExportBatch(signal: signal, body: body, recordCount: count)
        } catch {
            Issue.record("request: \(error)")
            return ExportBatch(signal: signal, body: [], recordCount: count)
        }
    }
}
