import OTLP

extension ExportBatch {
    /// Two batches with half of the records each; `nil` for a single record, and for a body that
    /// can't be read.
    func halves() -> (ExportBatch, ExportBatch)? {
        switch signal {
        case .logs: halves(ExportLogsServiceRequest.self)
        case .traces: halves(ExportTraceServiceRequest.self)
        case .metrics: halves(ExportMetricsServiceRequest.self)
        case .metricKit, .revision: nil
        }
    }

    private func halves<Request: DivisibleRequest>(
        _: Request.Type
    ) -> (ExportBatch, ExportBatch)? {
        do throws(OTLPError) {
            let whole = try Request(decoding: body, as: .protobuf)
            let count = whole.recordCount
            guard count > 1 else { return nil }
            return (
                try part(of: whole, 0..<count / 2), try part(of: whole, count / 2..<count)
            )
        } catch { return nil }
    }

    private func part(
        of whole: some DivisibleRequest, _ positions: Range<Int>
    ) throws(OTLPError) -> ExportBatch {
        var request = whole
        request.keepRecords { positions.contains($0) }
        return ExportBatch(
            signal: signal, body: try request.encoded(as: .protobuf),
            recordCount: positions.count, arrival: arrival)
    }
}

/// A request that can be divided between any two of its records, spans or metrics.
protocol DivisibleRequest: OTLPMessage {
    var recordCount: Int { get }

    /// Keeps the records whose positions fulfil a condition, with their resources and scopes.
    mutating func keepRecords(where isKept: (Int) -> Bool)
}

extension ExportLogsServiceRequest: DivisibleRequest {
    var recordCount: Int {
        resourceLogs.lazy.flatMap(\.scopeLogs).reduce(0) { $0 + $1.logRecords.count }
    }
}

extension ExportTraceServiceRequest: DivisibleRequest {
    var recordCount: Int {
        resourceSpans.lazy.flatMap(\.scopeSpans).reduce(0) { $0 + $1.spans.count }
    }

    mutating func keepRecords(where isKept: (Int) -> Bool) {
        var position = 0
        for resource in resourceSpans.indices {
            for scope in resourceSpans[resource].scopeSpans.indices {
                resourceSpans[resource].scopeSpans[scope].spans.removeAll { _ in
                    defer { position += 1 }
                    return !isKept(position)
                }
            }
            resourceSpans[resource].scopeSpans.removeAll { $0.spans.isEmpty }
        }
        resourceSpans.removeAll { $0.scopeSpans.isEmpty }
    }
}

extension ExportMetricsServiceRequest: DivisibleRequest {
    var recordCount: Int {
        resourceMetrics.lazy.flatMap(\.scopeMetrics).reduce(0) { $0 + $1.metrics.count }
    }

    mutating func keepRecords(where isKept: (Int) -> Bool) {
        var position = 0
        for resource in resourceMetrics.indices {
            for scope in resourceMetrics[resource].scopeMetrics.indices {
                resourceMetrics[resource].scopeMetrics[scope].metrics.removeAll { _ in
                    defer { position += 1 }
                    return !isKept(position)
                }
            }
            resourceMetrics[resource].scopeMetrics.removeAll { $0.metrics.isEmpty }
        }
        resourceMetrics.removeAll { $0.scopeMetrics.isEmpty }
    }
}
