extension ExportMetricsServiceRequest: OTLPMessage {
    package static var subject: String { "metrics request" }
    package static var requestRow: Int? { 2 }

    package mutating func convertIdentifiers(
        _ conversion: IdentifierConversion
    ) throws(OTLPError) {
        for resource in resourceMetrics.indices {
            for scope in resourceMetrics[resource].scopeMetrics.indices {
                for metric in resourceMetrics[resource].scopeMetrics[scope].metrics.indices {
                    try resourceMetrics[resource].scopeMetrics[scope].metrics[metric]
                        .convertIdentifiers(
                            conversion,
                            at:
                                "resourceMetrics[\(resource)].scopeMetrics[\(scope)].metrics[\(metric)]"
                        )
                }
            }
        }
    }

    package func checkEnumerations() throws(OTLPError) {
        for (resource, metrics) in resourceMetrics.enumerated() {
            for (scope, metrics) in metrics.scopeMetrics.enumerated() {
                for (index, metric) in metrics.metrics.enumerated() {
                    try metric.checkEnumerations(
                        "resourceMetrics[\(resource)].scopeMetrics[\(scope)].metrics[\(index)]")
                }
            }
        }
    }
}

extension ExportMetricsServiceResponse: OTLPMessage {
    package static var subject: String { "metrics response" }

    package func convertIdentifiers(_: IdentifierConversion) {}

    package func checkEnumerations() {}
}

extension Metric {
    /// Converts the IDs in exemplars, which all kinds of metrics except summaries have.
    fileprivate mutating func convertIdentifiers(
        _ conversion: IdentifierConversion, at path: @autoclosure () -> String
    ) throws(OTLPError) {
        switch data {
        case .gauge(var gauge):
            try gauge.dataPoints.convertIdentifiers(conversion, at: path() + ".gauge")
            data = .gauge(gauge)
        case .sum(var sum):
            try sum.dataPoints.convertIdentifiers(conversion, at: path() + ".sum")
            data = .sum(sum)
        case .histogram(var histogram):
            try histogram.dataPoints.convertIdentifiers(conversion, at: path() + ".histogram")
            data = .histogram(histogram)
        case .exponentialHistogram(var histogram):
            try histogram.dataPoints.convertIdentifiers(
                conversion, at: path() + ".exponentialHistogram")
            data = .exponentialHistogram(histogram)
        case .summary, nil: break
        }
    }

    fileprivate func checkEnumerations(
        _ path: @autoclosure () -> String
    ) throws(OTLPError) {
        let field = "aggregationTemporality"
        switch data {
        case .sum(let sum):
            try sum.aggregationTemporality.checkWidth("\(path()).sum.\(field)")
        case .histogram(let histogram):
            try histogram.aggregationTemporality.checkWidth("\(path()).histogram.\(field)")
        case .exponentialHistogram(let histogram):
            try histogram.aggregationTemporality.checkWidth(
                "\(path()).exponentialHistogram.\(field)")
        case .gauge, .summary, nil: break
        }
    }
}

/// A data point that may refer to traces.
private protocol PointWithExemplars {
    var exemplars: [Exemplar] { get set }
}

extension Opentelemetry_Proto_Metrics_V1_NumberDataPoint: PointWithExemplars {}
extension Opentelemetry_Proto_Metrics_V1_HistogramDataPoint: PointWithExemplars {}
extension Opentelemetry_Proto_Metrics_V1_ExponentialHistogramDataPoint: PointWithExemplars {}

extension Array where Element: PointWithExemplars {
    fileprivate mutating func convertIdentifiers(
        _ conversion: IdentifierConversion, at path: @autoclosure () -> String
    ) throws(OTLPError) {
        for point in indices {
            for index in self[point].exemplars.indices {
                let name = "dataPoints[\(point)].exemplars[\(index)]"
                try conversion(
                    &self[point].exemplars[index].traceID, count: IdentifierConversion.traceBytes,
                    at: "\(path()).\(name).traceId")
                try conversion(
                    &self[point].exemplars[index].spanID, count: IdentifierConversion.spanBytes,
                    at: "\(path()).\(name).spanId")
            }
        }
    }
}
