import OTLP

/// An export request that can be divided between any two of its records, spans or metrics.
protocol DivisibleRequest: OTLPMessage {
    /// Keeps the records whose positions satisfy a condition, with their resources and scopes.
    mutating func keepRecords(where isKept: (Int) -> Bool)
}

extension ExportLogsServiceRequest: DivisibleRequest {
    mutating func keepRecords(where isKept: (Int) -> Bool) {
        resourceLogs.keepRecords(\.scopeLogs, \.logRecords, where: isKept)
    }
}

extension ExportTraceServiceRequest: DivisibleRequest {
    mutating func keepRecords(where isKept: (Int) -> Bool) {
        resourceSpans.keepRecords(\.scopeSpans, \.spans, where: isKept)
    }
}

extension ExportMetricsServiceRequest: DivisibleRequest {
    mutating func keepRecords(where isKept: (Int) -> Bool) {
        resourceMetrics.keepRecords(\.scopeMetrics, \.metrics, where: isKept)
    }
}

extension Array {
    /// Removes the other records, and the resources and scopes that become empty.
    fileprivate mutating func keepRecords<Scope, Record>(
        _ scopes: WritableKeyPath<Element, [Scope]>, _ records: WritableKeyPath<Scope, [Record]>,
        where isKept: (Int) -> Bool
    ) {
        var position = 0
        for resource in indices {
            for scope in self[resource][keyPath: scopes].indices {
                self[resource][keyPath: scopes][scope][keyPath: records].removeAll { _ in
                    defer { position += 1 }
                    return !isKept(position)
                }
            }
            self[resource][keyPath: scopes].removeAll { $0[keyPath: records].isEmpty }
        }
        removeAll { $0[keyPath: scopes].isEmpty }
    }
}

extension ExportBatch {
    /// The batch of an encoded logs request, or `nil` if it has no records.
    init?(logs body: [UInt8], recordCount: Int) {
        guard recordCount > 0 else { return nil }
        self.init(signal: .logs, body: body, recordCount: recordCount)
    }
}
